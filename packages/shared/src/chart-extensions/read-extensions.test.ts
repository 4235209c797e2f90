import { describe, expect, test } from 'vitest';
import { actionsOf } from './actions.ts';
import { isExtensionPath } from './extension-files.ts';
import { featuresOf } from './features.ts';
import { readExtensions } from './read-extensions.ts';
import { resourceTypesOf } from './resource-types.ts';
import { ValuesUi } from './values-ui.ts';

const read = (files: Record<string, string>) => readExtensions(new Map(Object.entries(files)));

const form = `apiVersion: berth.dev/v1beta1
kind: ValuesUi
`;
const features = `apiVersion: berth.dev/v1beta2
kind: Features
`;
const action = `
- apiVersion: berth.dev/v1beta1
  kind: Action
  spec:
    id: backup
    allowed_role: Maintainer
    endpoint: standard_ingress
    path: backup
    method: POST
    title: Back up
    description: Makes a backup
`;
const resourceType = `
- apiVersion: berth.dev/v1beta1
  kind: ResourceType
  key: bucket
  spec:
    name_singular: Bucket
    name_plural: Buckets
    iconset_icon: box
    values_ui: { inputs: [] }
    lifecycle: { create: {} }
`;

test('a chart without extension files has none, and no error', () => {
  expect(read({})).toEqual({
    values_ui: null,
    actions_schema: null,
    features: null,
    resource_types: null,
    error: null,
  });
});

const complete = () =>
  read({
    'berth/values-ui.yaml': `${form}
inputs:
  - { id: replicas, type: Number, label: Replicas, minimum: 1, step: 0.5, helpText: null, showIf: null }
outputs:
  values: [{ path: [replicaCount], value: { FieldValue: { input: replicas } } }]
`,
    'berth/actions.yaml': action,
    'berth/features.yaml': `${features}spec: { ingress: { enabled: true }, wait: { timeout_secs: 60 } }`,
    'berth/resources.yaml': resourceType,
  });

test('a chart with all four files has them in the form that we keep', () => {
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

test('what is kept reads as the same again, and has defaults where a chart has no file', () => {
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
  test('work with their folder, headers and icon names', () => {
    const upstream = read({
      'platz/features.yaml': 'apiVersion: platz.io/v1beta1\nkind: Features\nspec: { standard_ingress: true, more: 1 }',
      'platz/actions.yaml': action
        .replace('berth.dev', 'platz.io')
        .replace('title:', 'fontawesome_icon: disk\n    title:'),
    });

    expect(upstream).toMatchObject({
      error: null,
      features: { ingress: { enabled: true, hostname_format: 'KindAndName' } },
      actions_schema: { actions: [{ iconset_icon: 'disk' }] },
    });
  });

  test('work with the older root files, which have no headers', () => {
    const older = read({
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

  test('lose no setting to a wrong header: it is an error, not an older form', () => {
    const { error } = read({ 'platz/features.yaml': 'apiVersion: platz.io/v2\nkind: Features\nspec: {}' });

    expect(error).toMatch(/^platz\/features\.yaml: apiVersion: must be one of berth\.dev\/v1beta1, /);
  });

  test('may ignore members that nobody knows, at any depth, but not wrong ones', () => {
    const { error, values_ui } = read({
      'platz/values-ui.yaml': 'inputs: [{ id: a, type: text, label: A, hue: 1, options: [{ value: 1, hue: 2 }] }]',
    });

    expect(error).toBeNull();
    expect(values_ui).toMatchObject({ inputs: [{ id: 'a', options: [{ value: 1 }] }] });
    expect(read({ 'platz/values-ui.yaml': 'inputs: [{ id: a, type: text, label: 1, hue: 1 }]' }).error).toMatch(
      /label/,
    );
  });
});

describe('a broken file gives an error that names file, path and rule', () => {
  const input = (members: string) => ({ 'berth/values-ui.yaml': `${form}inputs: [{ id: a, label: A, ${members} }]` });
  const output = (path: string, ref = '{ FieldValue: { input: a } }') => ({
    'berth/values-ui.yaml': `${form}
inputs: [{ id: a, label: A, type: text }]
outputs: { values: [{ path: ${path}, value: ${ref} }] }
`,
  });

  test.for<[string, Record<string, string>, string]>([
    ['no YAML', { 'berth/features.yaml': 'a: [' }, 'berth/features.yaml: is not valid YAML: '],
    ['two documents', { 'berth/features.yaml': 'a: 1\n---\nb: 2' }, 'berth/features.yaml: is not valid YAML: '],
    ['a key twice', { 'berth/features.yaml': 'a: 1\na: 2' }, 'berth/features.yaml: is not valid YAML: '],
    ['nothing in it', { 'berth/features.yaml': '# nothing' }, 'berth/features.yaml: is empty'],
    [
      'a key that reaches a prototype',
      { 'berth/features.yaml': '"__proto__": {}' },
      'berth/features.yaml: must hold JSON values only',
    ],
    [
      'another file in our folder',
      { 'berth/values-iu.yaml': form },
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
      { 'berth/features.yaml': `${features}spec: { ingres: {} }` },
      'berth/features.yaml: spec.ingres: is not known here',
    ],
    [
      'an ingress that does not say whether',
      { 'berth/features.yaml': `${features}spec: { ingress: {} }` },
      'berth/features.yaml: spec.ingress.enabled: is required',
    ],
    [
      'the older word in the newer form',
      { 'berth/features.yaml': `${features}spec: { standard_ingress: true }` },
      'berth/features.yaml: spec.standard_ingress: is not known here',
    ],
    [
      'an input of no known type',
      input('type: colour'),
      'berth/values-ui.yaml: inputs[0].type: must be one of text, number, Checkbox, RadioSelect, CollectionSelect, DaysAndHour, array',
    ],
    ['an input without a type', input(''), 'berth/values-ui.yaml: inputs[0].type: is required'],
    ['an array of nothing', input('type: array'), 'berth/values-ui.yaml: inputs[0].itemType: is required for an array'],
    [
      'an array of arrays',
      input('type: array, itemType: array'),
      'berth/values-ui.yaml: inputs[0].itemType: must be one of text, number',
    ],
    [
      'a choice of nothing',
      input('type: RadioSelect'),
      'berth/values-ui.yaml: inputs[0].options: is required for a RadioSelect',
    ],
    [
      'a selection from nothing',
      input('type: CollectionSelect'),
      'berth/values-ui.yaml: inputs[0].collection: is required for a CollectionSelect',
    ],
    [
      'a range the wrong way round',
      input('type: number, minimum: 2, maximum: 1'),
      'berth/values-ui.yaml: inputs[0].minimum: must not be above maximum',
    ],
    ['a step of nothing', input('type: number, step: 0'), 'berth/values-ui.yaml: inputs[0].step: must be above 0'],
    [
      'an id twice',
      { 'berth/values-ui.yaml': `${form}inputs: [{ id: a, label: A, type: text }, { id: a, label: B, type: text }]` },
      'berth/values-ui.yaml: inputs[1].id: repeats a',
    ],
    [
      'an output of an input that is not there',
      output('[x]', '{ FieldValue: { input: b } }'),
      'berth/values-ui.yaml: outputs.values[0].value: there is no input b',
    ],
    [
      'a property of a text',
      output('[x]', '{ FieldProperty: { input: a, property: name } }'),
      'berth/values-ui.yaml: outputs.values[0].value: a is no CollectionSelect, so it has no properties',
    ],
    [
      'an output that is two things',
      output('[x]', '{ FieldValue: { input: a }, FieldProperty: { input: a, property: b } }'),
      'berth/values-ui.yaml: outputs.values[0].value: must have exactly one of the keys FieldValue, FieldProperty',
    ],
    ['an output to nowhere', output('[]'), 'berth/values-ui.yaml: outputs.values[0].path: must not be empty'],
    [
      'a path with strange brackets',
      output('[x, "[y]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: must be [+], [=] or a number below 1024 in brackets',
    ],
    [
      'a path to a far cell',
      output('[x, "[1024]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: must be [+], [=] or a number below 1024 in brackets',
    ],
    [
      'a path that begins with a cell',
      output('["[0]"]'),
      'berth/values-ui.yaml: outputs.values[0].path[0]: must be a key',
    ],
    [
      'a path that reaches a prototype',
      output('[x, __proto__]'),
      'berth/values-ui.yaml: outputs.values[0].path[1]: is not a possible key',
    ],
    [
      'a secret of ours',
      { 'berth/values-ui.yaml': `${form}inputs: []\noutputs: { secrets: { service-creds: {} } }` },
      'berth/values-ui.yaml: outputs.secrets.service-creds',
    ],
    [
      'an action without a role',
      { 'berth/actions.yaml': action.replace('allowed_role: Maintainer', '') },
      'berth/actions.yaml: [0].spec.allowed_role: ',
    ],
    ['an action twice', { 'berth/actions.yaml': action + action }, 'berth/actions.yaml: [1].spec.id: repeats backup'],
    ['actions that are no list', { 'berth/actions.yaml': 'schema_version: 0\nactions: []' }, 'berth/actions.yaml: '],
    [
      'a resource type twice',
      { 'berth/resources.yaml': resourceType + resourceType },
      'berth/resources.yaml: [1].key: repeats bucket',
    ],
    [
      'a resource type without a form',
      { 'berth/resources.yaml': resourceType.replace('values_ui: { inputs: [] }', '') },
      'berth/resources.yaml: [0].spec.values_ui: is required',
    ],
  ])('%s', ([, files, start]) => {
    const { error } = read(files);

    expect(error?.slice(0, start.length)).toBe(start);
  });

  test('and leaves the other files of the chart readable', () => {
    const {
      error,
      features: read1,
      values_ui,
    } = read({
      'berth/values-ui.yaml': 'inputs',
      'berth/features.yaml': `${features}spec: {}`,
    });

    expect(error).toMatch(/^berth\/values-ui\.yaml: /);
    expect(values_ui).toBeNull();
    expect(read1).toMatchObject({ cardinality: 'Many' });
  });

  test('names at most ten of many', () => {
    const inputs = Array.from({ length: 50 }, () => '{}').join();
    const { error } = read({ 'berth/values-ui.yaml': `${form}inputs: [${inputs}]` });

    expect(error?.split('; ')).toHaveLength(10);
  });
});

test('our folder counts before the others, and a folder before the root', () => {
  const both = {
    'berth/features.yaml': `${features}spec: { cardinality: OnePerCluster }`,
    'platz/features.yaml': 'broken: [',
    'features.json': '[',
  };

  expect(read(both)).toMatchObject({ error: null, features: { cardinality: 'OnePerCluster' } });
});

test.for([
  ['berth/values-ui.yaml', true],
  ['platz/actions.yaml', true],
  ['features.json', true],
  ['templates/berth/values-ui.yaml', false],
  ['values.yaml', false],
  ['toString', false],
] as const)('of a chart the reader wants %s: %s', ([path, wanted]) => {
  expect(isExtensionPath(path)).toBe(wanted);
});
