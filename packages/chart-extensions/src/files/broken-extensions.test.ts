import { describe, expect, test } from 'vitest';
import {
  featuresHeader,
  formHeader,
  readFiles,
  sampleAction,
  sampleResourceType,
} from '../testing/extension-samples.ts';

describe('a broken file gives an error that names file, path and rule', () => {
  const input = (members: string) => ({
    'berth/values-ui.yaml': `${formHeader}inputs: [{ id: a, label: A, ${members} }]`,
  });
  const output = (path: string, ref = '{ FieldValue: { input: a } }') => ({
    'berth/values-ui.yaml': `${formHeader}
inputs: [{ id: a, label: A, type: text }]
outputs: { values: [{ path: ${path}, value: ${ref} }] }
`,
  });

  const propertyOf = (collection: string, property: string) => ({
    'berth/values-ui.yaml': `${formHeader}
inputs: [{ id: a, label: A, type: CollectionSelect, collection: ${collection} }]
outputs: { values: [{ path: [x], value: { FieldProperty: { input: a, property: ${property} } } }] }
`,
  });

  test.for<[string, Record<string, string>, string]>([
    ['no YAML', { 'berth/features.yaml': 'a: [' }, 'berth/features.yaml: is not valid YAML: '],
    [
      'several documents',
      { 'berth/features.yaml': 'a: 1\n---\nb: 2\n---\nc: 3' },
      'berth/features.yaml: has 3 documents; only one is allowed',
    ],
    ['a key twice', { 'berth/features.yaml': 'a: 1\na: 2' }, 'berth/features.yaml: is not valid YAML: '],
    ['nothing in it', { 'berth/features.yaml': '# nothing' }, 'berth/features.yaml: is empty'],
    [
      'a key that could reach a prototype',
      { 'berth/features.yaml': '"__proto__": {}' },
      'berth/features.yaml: must not have a key named __proto__',
    ],
    [
      'an unknown file in our folder',
      { 'berth/values-iu.yaml': formHeader },
      'berth/values-iu.yaml: is none of values-ui.yaml, actions.yaml, features.yaml, resources.yaml',
    ],
    ['no header', { 'berth/values-ui.yaml': 'inputs: []' }, 'berth/values-ui.yaml: apiVersion: is required'],
    [
      'another kind',
      { 'berth/values-ui.yaml': 'apiVersion: berth.dev/v1beta1\nkind: Form\ninputs: []' },
      'berth/values-ui.yaml: kind: must be ValuesUi',
    ],
    [
      'an unknown member',
      { 'berth/features.yaml': `${featuresHeader}spec: { ingres: {} }` },
      'berth/features.yaml: spec.ingres: is not known here',
    ],
    [
      'an ingress without `enabled`',
      { 'berth/features.yaml': `${featuresHeader}spec: { ingress: {} }` },
      'berth/features.yaml: spec.ingress.enabled: is required',
    ],
    [
      'a word of the older form in the newer form',
      { 'berth/features.yaml': `${featuresHeader}spec: { standard_ingress: true }` },
      'berth/features.yaml: spec.standard_ingress: is not known here',
    ],
    [
      'an input of an unknown type',
      input('type: colour'),
      'berth/values-ui.yaml: inputs[0].type: must be one of text, number, Checkbox, RadioSelect, CollectionSelect, DaysAndHour, array',
    ],
    ['an input without a type', input(''), 'berth/values-ui.yaml: inputs[0].type: is required'],
    [
      'an array without an item type',
      input('type: array'),
      'berth/values-ui.yaml: inputs[0].itemType: is required for an array',
    ],
    [
      'an array of arrays',
      input('type: array, itemType: array'),
      'berth/values-ui.yaml: inputs[0].itemType: must be one of text, number',
    ],
    [
      'a choice without options',
      input('type: RadioSelect'),
      'berth/values-ui.yaml: inputs[0].options: is required for a RadioSelect',
    ],
    [
      'a selection without a collection',
      input('type: CollectionSelect'),
      'berth/values-ui.yaml: inputs[0].collection: is required for a CollectionSelect',
    ],
    [
      'a minimum above the maximum',
      input('type: number, minimum: 2, maximum: 1'),
      'berth/values-ui.yaml: inputs[0].minimum: must not be above maximum',
    ],
    ['a step of zero', input('type: number, step: 0'), 'berth/values-ui.yaml: inputs[0].step: must be above 0'],
    [
      'an id twice',
      {
        'berth/values-ui.yaml': `${formHeader}inputs: [{ id: a, label: A, type: text }, { id: a, label: B, type: text }]`,
      },
      'berth/values-ui.yaml: inputs[1].id: repeats a',
    ],
    [
      'two inputs with the same id in the form of an action',
      {
        'berth/actions.yaml': `${sampleAction}\n    ui_schema: { inputs: [{ id: a, label: A, type: text }, { id: a, label: B, type: text }] }`,
      },
      'berth/actions.yaml: [0].spec.ui_schema.inputs[1].id: repeats a',
    ],
    [
      'two inputs with the same id in the form of a resource type',
      {
        'berth/resources.yaml': sampleResourceType.replace(
          'values_ui: { inputs: [] }',
          'values_ui: { inputs: [{ id: a, label: A, type: text }, { id: a, label: B, type: text }] }',
        ),
      },
      'berth/resources.yaml: [0].spec.values_ui.inputs[1].id: repeats a',
    ],
    [
      'an output of an unknown input',
      output('[x]', '{ FieldValue: { input: b } }'),
      'berth/values-ui.yaml: outputs.values[0].value: there is no input b',
    ],
    [
      'a property of a text input',
      output('[x]', '{ FieldProperty: { input: a, property: name } }'),
      'berth/values-ui.yaml: outputs.values[0].value: a is not a CollectionSelect, so it has no properties',
    ],
    [
      'a property that deployments do not have',
      propertyOf('deployments', 'password'),
      'berth/values-ui.yaml: outputs.values[0].value.FieldProperty.property: must be one of id, created_at, name, kind, cluster_id, enabled, as a selects from deployments',
    ],
    [
      'a property of a collection that offers only ids',
      propertyOf('users', 'email'),
      'berth/values-ui.yaml: outputs.values[0].value.FieldProperty.property: cannot be read, as a selects from users',
    ],
    [
      'an output with two keys',
      output('[x]', '{ FieldValue: { input: a }, FieldProperty: { input: a, property: b } }'),
      'berth/values-ui.yaml: outputs.values[0].value: must have exactly one of the keys FieldValue, FieldProperty',
    ],
    ['an output with an empty path', output('[]'), 'berth/values-ui.yaml: outputs.values[0].path: must not be empty'],
    [
      'a path with strange brackets',
      output('[x, "[y]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: must be [+], [=] or a number below 1024 in brackets',
    ],
    [
      'a path to a cell beyond the maximum',
      output('[x, "[1024]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: must be [+], [=] or a number below 1024 in brackets',
    ],
    [
      'a path that begins with a cell',
      output('["[0]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[0]: must be a key',
    ],
    [
      'a path that could reach a prototype',
      output('[x, __proto__]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: is not a possible key',
    ],
    [
      'a secret name that belongs to the platform',
      { 'berth/values-ui.yaml': `${formHeader}inputs: []\noutputs: { secrets: { service-creds: {} } }` },
      'berth/values-ui.yaml: outputs.secrets.service-creds',
    ],
    [
      'a secret whose name has two dots in a row',
      { 'berth/values-ui.yaml': `${formHeader}inputs: []\noutputs: { secrets: { db..login: {} } }` },
      'berth/values-ui.yaml: outputs.secrets.db..login',
    ],
    [
      'a key of a secret that starts with two dots',
      {
        'berth/values-ui.yaml': `${formHeader}inputs: [{ id: a, type: text, label: A }]\noutputs: { secrets: { login: { '..a': { FieldValue: { input: a } } } } }`,
      },
      'berth/values-ui.yaml: outputs.secrets.login',
    ],
    [
      'an action without a role',
      { 'berth/actions.yaml': sampleAction.replace('allowed_role: Maintainer', '') },
      'berth/actions.yaml: [0].spec.allowed_role: ',
    ],
    [
      'an action twice',
      { 'berth/actions.yaml': sampleAction + sampleAction },
      'berth/actions.yaml: [1].spec.id: repeats backup',
    ],
    ['actions that are not a list', { 'berth/actions.yaml': 'schema_version: 0\nactions: []' }, 'berth/actions.yaml: '],
    [
      'two resource types with the same key',
      { 'berth/resources.yaml': sampleResourceType + sampleResourceType },
      'berth/resources.yaml: [1].key: repeats bucket',
    ],
    [
      'a resource type without a form',
      { 'berth/resources.yaml': sampleResourceType.replace('values_ui: { inputs: [] }', '') },
      'berth/resources.yaml: [0].spec.values_ui: is required',
    ],
  ])('%s', ([, files, start]) => {
    const { error } = readFiles(files);

    expect(error?.slice(0, start.length)).toBe(start);
  });

  test('a broken file leaves the other files of the chart readable', () => {
    const {
      error,
      features: read1,
      values_ui,
    } = readFiles({
      'berth/values-ui.yaml': 'inputs',
      'berth/features.yaml': `${featuresHeader}spec: {}`,
    });

    expect(error).toMatch(/^berth\/values-ui\.yaml: /);
    expect(values_ui).toBeNull();
    expect(read1).toMatchObject({ cardinality: 'Many' });
  });

  test('a broken file names at most ten of its errors', () => {
    const inputs = Array.from({ length: 50 }, () => '{}').join();
    const { error } = readFiles({ 'berth/values-ui.yaml': `${formHeader}inputs: [${inputs}]` });

    expect(error?.split('; ')).toHaveLength(10);
  });
});
