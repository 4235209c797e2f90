import { sampleChart } from './sample-charts.ts';

const target = (method: string) => ({ endpoint: 'standard_ingress', path: '/databases', method });
const type = (fields: object) => ({
  name_singular: 'Database',
  name_plural: 'Databases',
  iconset_icon: 'database',
  ...fields,
});

export const databaseForm = {
  inputs: [
    { id: 'size', type: 'number', label: 'Size', required: true, minimum: '1', maximum: '9' },
    { id: 'owner', type: 'text', label: 'Owner' },
    { id: 'password', type: 'text', label: 'Password', sensitive: true },
  ],
};

/** Types that differ in their operations: each makes a call, none makes a call, or none can be requested. */
export const databaseTypes = {
  database: type({
    values_ui: databaseForm,
    lifecycle: {
      create: { target: target('POST') },
      update: { target: target('PUT'), allowed_role: 'Owner' },
      delete: { target: target('DELETE') },
    },
  }),
  note: type({ values_ui: databaseForm, lifecycle: { create: {}, update: {}, delete: {} } }),
  fixed: type({ values_ui: databaseForm, lifecycle: {} }),
  shared: type({ values_ui: databaseForm, global: true, lifecycle: { create: { target: target('POST') } } }),
};

const features = { ingress: { enabled: true } };

/** A chart whose deployments manage resources. */
export const managingChart = (resource_types: object | null = databaseTypes) =>
  sampleChart({
    features,
    values_ui: null,
    resource_types: resource_types && JSON.parse(JSON.stringify(resource_types)),
  });

/** A chart whose inputs point to resources and whose outputs use their properties. */
export const usingChart = () =>
  sampleChart({
    values_ui: {
      inputs: [
        { id: 'db', type: 'CollectionSelect', label: 'Db', collection: { deployment: 'Web', type: 'database' } },
        { id: 'more', type: 'array', itemType: 'CollectionSelect', label: 'More', collection: 'database' },
        {
          id: 'large',
          type: 'CollectionSelect',
          label: 'Large',
          collection: 'database',
          filters: [{ field: 'size', value: 9 }],
        },
      ],
      outputs: {
        values: [
          { path: ['db', 'name'], value: { FieldProperty: { input: 'db', property: 'name' } } },
          { path: ['db', 'size'], value: { FieldProperty: { input: 'db', property: 'size' } } },
          { path: ['sizes'], value: { FieldProperty: { input: 'more', property: 'size' } } },
        ],
        secrets: { 'db-login': { password: { FieldProperty: { input: 'db', property: 'password' } } } },
      },
    },
  });
