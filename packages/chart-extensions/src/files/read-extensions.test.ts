import { describe, expect, test } from 'vitest';
import {
  featuresHeader,
  formHeader,
  readFiles,
  sampleAction,
  sampleResourceType,
} from '../testing/extension-samples.ts';
import { actionsOf } from './actions.ts';
import { isExtensionPath } from './extension-files.ts';
import { featuresOf } from './features.ts';
import { resourceTypesOf } from './resource-types.ts';
import { ValuesUi } from '../form/values-ui.ts';

test('a chart without extension files has neither extensions nor errors', () => {
  expect(readFiles({})).toEqual({
    values_ui: null,
    actions_schema: null,
    features: null,
    resource_types: null,
    error: null,
  });
});

test.for([
  ['folder', { 'platz/values-ui.yaml': `apiVersion: platz.io/v1beta1\nkind: ValuesUi\n` }, 'platz/values-ui.yaml'],
  ['older root files', { 'values.ui.json': '' }, 'values.ui.json'],
] as const)('outputs without their input are left out of a chart with the upstream %s', ([, files, path]) => {
  const header = Object.values(files)[0] ?? '';
  const form = `${header}
inputs: [{ id: a, type: text, label: A }]
outputs:
  values:
    - { path: [a], value: { FieldValue: { input: a } } }
    - { path: [b], value: { FieldProperty: { input: b, property: name } } }
  secrets: { kept: { a: { FieldValue: { input: a } }, b: { FieldValue: { input: b } } } }
`;

  const { values_ui, error } = readFiles({ [path]: form });

  expect(error).toBe(null);
  expect(values_ui?.['outputs']).toEqual({
    values: [{ path: ['a'], value: { FieldValue: { input: 'a' } } }],
    secrets: { kept: { a: { FieldValue: { input: 'a' } } } },
  });
});

const complete = () =>
  readFiles({
    'berth/values-ui.yaml': `${formHeader}
inputs:
  - { id: replicas, type: Number, label: Replicas, minimum: 1, step: 0.5, helpText: null, showIf: null }
outputs:
  values: [{ path: [replicaCount], value: { FieldValue: { input: replicas } } }]
`,
    'berth/actions.yaml': sampleAction,
    'berth/features.yaml': `${featuresHeader}spec: { ingress: { enabled: true }, wait: { timeout_secs: 60 } }`,
    'berth/resources.yaml': sampleResourceType,
  });

test('a chart with all four extension files is read into the stored form', () => {
  expect(complete()).toEqual({
    values_ui: {
      inputs: [
        {
          id: 'replicas',
          type: 'number',
          label: 'Replicas',
          minimum: '1',
          step: '0.5',
          required: false,
          sensitive: false,
        },
      ],
      outputs: { values: [{ path: ['replicaCount'], value: { FieldValue: { input: 'replicas' } } }], secrets: {} },
    },
    actions_schema: {
      actions: [
        {
          id: 'backup',
          allowed_role: 'Maintainer',
          allowed_on_statuses: [],
          endpoint: 'standard_ingress',
          path: 'backup',
          method: 'POST',
          title: 'Back up',
          description: 'Makes a backup',
          dangerous: false,
        },
      ],
    },
    features: {
      ingress: { enabled: true, hostname_format: 'KindAndName' },
      cardinality: 'Many',
      reinstall_dependencies: true,
      node_selector_paths: [],
      tolerations_paths: [],
      wait: { enabled: true, timeout_secs: 60 },
    },
    resource_types: {
      bucket: {
        name_singular: 'Bucket',
        name_plural: 'Buckets',
        iconset_icon: 'box',
        global: false,
        values_ui: { inputs: [], outputs: { values: [], secrets: {} } },
        lifecycle: { create: {} },
      },
    },
    error: null,
  });
});

test('the stored form of an extension can be read back unchanged, with defaults for missing files', () => {
  const { values_ui, actions_schema, features: kept, resource_types } = complete();

  expect(ValuesUi.parse(values_ui)).toEqual(values_ui);
  expect({ actions: actionsOf(actions_schema) }).toEqual(actions_schema);
  expect(featuresOf(kept)).toEqual(kept);
  expect(resourceTypesOf(resource_types)).toEqual(resource_types);

  expect(actionsOf(null)).toEqual([]);
  expect(resourceTypesOf(null)).toEqual({});
  expect(featuresOf(null)).toEqual({
    ingress: { enabled: false, hostname_format: 'KindAndName' },
    cardinality: 'Many',
    reinstall_dependencies: true,
    node_selector_paths: [],
    tolerations_paths: [],
    wait: { enabled: true, timeout_secs: 300 },
  });
});

describe('charts of the upstream project', () => {
  test('charts of the upstream project are read from their folder, with their headers and icon names', () => {
    const upstream = readFiles({
      'platz/features.yaml': 'apiVersion: platz.io/v1beta1\nkind: Features\nspec: { standard_ingress: true, more: 1 }',
      'platz/actions.yaml': sampleAction
        .replace('berth.dev', 'platz.io')
        .replace('title:', 'fontawesome_icon: disk\n    title:'),
    });

    expect(upstream).toMatchObject({
      error: null,
      features: { ingress: { enabled: true, hostname_format: 'KindAndName' } },
      actions_schema: { actions: [{ iconset_icon: 'disk' }] },
    });
  });

  test('charts of the upstream project are read from the older root files without headers', () => {
    const older = readFiles({
      'values.ui.json': '{"inputs":[{"id":"a","type":"Text","label":"A","options":[{"value":null}]}]}',
      'actions.schema.json': '{"schema_version":0,"actions":[]}',
      'features.json': '{"cardinality":"OnePerCluster"}',
    });

    expect(older).toMatchObject({
      error: null,
      values_ui: { inputs: [{ type: 'text', options: [{ value: null }] }] },
      actions_schema: { actions: [] },
      features: { cardinality: 'OnePerCluster', ingress: { enabled: false } },
    });
  });

  test.for([
    ['their folder', 'platz/values-ui.yaml', 'apiVersion: platz.io/v1beta1\nkind: ValuesUi\n'],
    ['their folder without headers', 'platz/values-ui.yaml', ''],
    ['the older root files', 'values.ui.json', ''],
  ] as const)('may have several inputs with the same id, in %s', ([, path, headers]) => {
    const inputs = '[{ id: a, type: text, label: A }, { id: a, type: number, label: B }]';

    const { error, values_ui } = readFiles({ [path]: `${headers}inputs: ${inputs}` });

    expect(error).toBeNull();
    expect(ValuesUi.parse(values_ui).inputs).toMatchObject([{ id: 'a' }, { id: 'a' }]);
  });

  test('a wrong header in a chart of the upstream project is an error, not an older form', () => {
    const { error } = readFiles({ 'platz/features.yaml': 'apiVersion: platz.io/v2\nkind: Features\nspec: {}' });

    expect(error).toMatch(/^platz\/features\.yaml: apiVersion: must be one of berth\.dev\/v1beta1, /);
  });

  test('charts of the upstream project may have unknown members at any depth, but no invalid ones', () => {
    const { error, values_ui } = readFiles({
      'platz/values-ui.yaml': 'inputs: [{ id: a, type: text, label: A, hue: 1, options: [{ value: 1, hue: 2 }] }]',
    });

    expect(error).toBeNull();
    expect(values_ui).toMatchObject({ inputs: [{ id: 'a', options: [{ value: 1 }] }] });
    expect(readFiles({ 'platz/values-ui.yaml': 'inputs: [{ id: a, type: text, label: 1, hue: 1 }]' }).error).toMatch(
      /label/,
    );
  });
});

test('contents of a secret may be written to Secrets only, except in charts of the upstream project', () => {
  const output = '{ FieldProperty: { input: login, property: contents } }';
  const form = `kind: ValuesUi
inputs: [{ id: login, type: CollectionSelect, label: Login, collection: secrets }]
outputs:
`;
  const inValues = `${form}  values: [{ path: [password], value: ${output} }]`;
  const inSecrets = `${form}  secrets: { login: { password: ${output} } }`;
  const file = (folder: string, text: string) =>
    readFiles({
      [`${folder}/values-ui.yaml`]: `apiVersion: ${folder}.${folder === 'berth' ? 'dev' : 'io'}/v1beta1\n${text}`,
    });

  expect(file('berth', inValues).error).toBe(
    'berth/values-ui.yaml: outputs.values[0].value.FieldProperty.property: contents of a secret may go to outputs.secrets only',
  );
  expect(file('berth', inSecrets).error).toBeNull();
  expect(file('platz', inValues).error).toBeNull();
});

test('the folder of Berth takes precedence over other folders, and folders over the root', () => {
  const both = {
    'berth/features.yaml': `${featuresHeader}spec: { cardinality: OnePerCluster }`,
    'platz/features.yaml': 'broken: [',
    'features.json': '[',
  };

  expect(readFiles(both)).toMatchObject({ error: null, features: { cardinality: 'OnePerCluster' } });
});

test.for([
  ['berth/values-ui.yaml', true],
  ['platz/actions.yaml', true],
  ['features.json', true],
  ['berth/values-iu.yaml', true],
  ['platz/dashboard.json', false],
  ['templates/berth/values-ui.yaml', false],
  ['values.yaml', false],
  ['toString', false],
] as const)('%s is an extension file of a chart: %s', ([path, wanted]) => {
  expect(isExtensionPath(path)).toBe(wanted);
});
