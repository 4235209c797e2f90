import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../manifests/kube-object.ts';
import { contestedFields } from './contested-fields.ts';
import { pointerOf } from './describe-contested.ts';
import { fieldPathsOf } from './fields-policy.ts';
import { ownedFields } from './managed-fields.ts';

interface Owner {
  manager: string;
  subresource?: string;
  operation?: string;
  fields: JsonObject;
}

const deployment = (spec: JsonObject, owners: Owner[] = [], metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'own',
  name: 'web',
  content: {
    metadata: {
      name: 'web',
      ...metadata,
      managedFields: owners.map(({ fields, operation = 'Update', ...owner }) => ({
        ...owner,
        operation,
        fieldsV1: fields,
      })),
    },
    spec,
  },
});

const replicas = { 'f:spec': { 'f:replicas': {} } };
const byHelm: Owner = { manager: 'helm', operation: 'Apply', fields: replicas };
const by = (manager: string, subresource?: string): Owner => ({
  manager,
  fields: replicas,
  ...(subresource !== undefined && { subresource }),
});

const hpa = new Map([[JSON.stringify(['apps', 'Deployment', 'web']), 'HorizontalPodAutoscaler web']]);
const none = new Map<string, string>();

const outcome = (
  owners: Owner[],
  { chart = 2, live = 5, keep = [] as string[], autoscalers = none, areAutoscalersKnown = true } = {},
  metadata: JsonObject = {},
) => {
  const { contested, leave, share } = contestedFields(
    deployment({ ...(chart > 0 && { replicas: chart }) }, [], metadata),
    deployment({ replicas: live }, owners),
    { autoscalers, areAutoscalersKnown, keep: fieldPathsOf(keep) },
  );
  const words = contested.map(({ keptBecause }) => (keptBecause === null ? 'taken back' : 'kept'));
  return [...words, ...leave.map(({ steps }) => `left ${steps.join('.')}`), ...(share === undefined ? [] : ['shared'])];
};

describe('the replicas of a workload', () => {
  const kept = ['kept', 'left spec.replicas'];
  const quiet = ['left spec.replicas'];
  const hook = { annotations: { 'helm.sh/hook': 'pre-upgrade' } };
  const lasting = { annotations: { 'helm.sh/hook': 'pre-upgrade', 'helm.sh/hook-delete-policy': 'hook-failed' } };

  test.for<[string, Owner[], Parameters<typeof outcome>[1], string[], JsonObject?]>([
    ['nobody but Helm has written them', [byHelm], {}, []],
    ['a person has scaled', [by('kubectl', 'scale')], {}, ['taken back']],
    ['a person has edited', [byHelm, by('kubectl-edit')], {}, ['taken back']],
    ['a controller has written the object', [by('operator')], {}, ['taken back']],
    ['a controller has scaled', [by('keda-operator', 'scale')], {}, kept],
    ['a controller has scaled to the value of the chart', [byHelm, by('keda-operator', 'scale')], { live: 2 }, quiet],
    ['an autoscaler that is gone has scaled', [by('kube-controller-manager', 'scale')], {}, ['taken back']],
    [
      'nobody knows whether the autoscaler is gone',
      [by('kube-controller-manager', 'scale')],
      { areAutoscalersKnown: false },
      kept,
    ],
    ['an autoscaler has scaled', [by('kube-controller-manager', 'scale')], { autoscalers: hpa }, kept],
    ['a person has scaled under an autoscaler', [by('kubectl', 'scale')], { autoscalers: hpa }, kept],
    ['an autoscaler has not written yet', [byHelm], { autoscalers: hpa }, [...kept, 'shared']],
    ['an autoscaler has not written yet, same value', [byHelm], { autoscalers: hpa, live: 2 }, [...quiet, 'shared']],
    ['the chart gives them up to an autoscaler', [byHelm], { autoscalers: hpa, chart: 0 }, ['shared']],
    [
      'the chart has given them up to an autoscaler',
      [by('kube-controller-manager', 'scale')],
      { autoscalers: hpa, chart: 0 },
      [],
    ],
    ['the chart gives them up', [byHelm], { chart: 0 }, []],
    ['Berth kept them and the autoscaler is gone', [by('berth-keeps')], {}, []],
    ['Berth kept them', [by('berth-keeps')], { autoscalers: hpa }, kept],
    ['a person has scaled, and the path is kept', [by('kubectl', 'scale')], { keep: ['/spec/replicas'] }, kept],
    ['the path of the parent is kept', [by('kubectl', 'scale')], { keep: ['Deployment/web:/spec'] }, kept],
    [
      'the path is kept for another object',
      [by('kubectl', 'scale')],
      { keep: ['Deployment/api:/spec/replicas', 'Job:/spec'] },
      ['taken back'],
    ],
    ['the path is kept and only Helm has written', [byHelm], { keep: ['/spec/replicas'] }, []],
    ['the status is what others write', [by('kubelet', 'status')], {}, []],
    ['Helm creates the hook anew', [by('kubectl', 'scale')], {}, [], hook],
    ['Helm applies the hook again', [by('kubectl', 'scale')], {}, kept, lasting],
    ['Helm applies the hook again, as it is', [by('kubectl', 'scale')], { live: 2 }, quiet, lasting],
  ])('if %s', ([, owners, given, expected, metadata]) => {
    expect(outcome(owners, given, metadata)).toEqual(expected);
  });
});

describe('owned fields', () => {
  const paths = (fields: JsonObject, rendered: JsonObject, live: JsonObject = rendered) =>
    [...ownedFields(fields, rendered, live)].map(({ path }) => pointerOf(path));

  test('are found in lists by their keys, with the defaults of the server, without the keys themselves', () => {
    const item = { 'f:name': {}, 'f:containerPort': {}, '.': {}, 'f:protocol': {} };
    const fields = {
      'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': item, 'k:{"containerPort":53,"protocol":"UDP"}': item },
      'f:env': { 'k:{"name":"a"}': { 'f:name': {}, 'f:value': {} }, 'k:{"name":"gone"}': { 'f:value': {} } },
    };
    const rendered = {
      ports: [
        { containerPort: 53, protocol: 'UDP', name: 'dns' },
        { containerPort: 80, name: 'http' },
      ],
      env: [
        { name: 'b', value: '1' },
        { name: 'a', value: '2' },
      ],
    };
    expect(paths(fields, rendered)).toEqual([
      '/ports/containerPort=80/name',
      '/ports/containerPort=53~1UDP/name',
      '/env/name=a/value',
    ]);
  });

  test('that the chart does not set, and marks of other forms, are left out', () => {
    const fields = {
      '.': {},
      'f:a': { 'f:b': {} },
      'f:list': { 'v:"x"': {}, 'i:0': {}, 'k:nonsense': {} },
      x: {},
      'f:d': 1,
    };
    expect(paths(fields, { a: { c: 1 }, list: ['x'], d: 1 })).toEqual([]);
  });

  test('of a hostile object cost no more than its size', () => {
    let deep: JsonObject = {};
    for (let depth = 0; depth < 5_000; depth += 1) deep = { 'f:a': deep };
    let value: JsonValue = 1;
    for (let depth = 0; depth < 5_000; depth += 1) value = { a: value };
    expect(paths(deep, { a: value })).toEqual([]);

    const items = Array.from({ length: 5_000 }, (_, at) => ({ name: `n${at}`, value: '1' }));
    const keys = items.map(({ name }, at) => [`k:${JSON.stringify({ name, [`x${at}`]: 1 })}`, { 'f:value': {} }]);
    expect(paths({ 'f:env': Object.fromEntries(keys) }, { env: items })).toEqual([]);
    const own = items.map(({ name }) => [`k:${JSON.stringify({ name })}`, { 'f:value': {} }]);
    expect(paths({ 'f:env': Object.fromEntries(own) }, { env: items })).toHaveLength(5_000);
  });
});
