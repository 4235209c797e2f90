import { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';
import { expect, test } from 'vitest';
import { boundResult, most } from './bound-result.ts';

type Planned = DryRunResult['objects'][number];

const nothingCut = { objects: 0, fields: 0, values: 0, hooks: 0 };
const planned = (fields: Partial<Planned> = {}): Planned => ({
  action: 'change',
  api_version: 'v1',
  kind: 'ConfigMap',
  namespace: 'web-a',
  name: 'web',
  reason: null,
  fields: [],
  ...fields,
});
const result = (objects: Planned[]): DryRunResult => ({ objects, hooks: [], unchanged: 0, cut: nothingCut });
const field = (path: string, after: string) => ({ path, after, hidden: false });

test('a small result stays as it is', () => {
  const small = result([planned({ fields: [field('/data/a', 'x')] })]);

  expect(boundResult(small)).toEqual(small);
});

test('a large value is cut to its beginning and counted', () => {
  const { objects, cut } = boundResult(result([planned({ fields: [field('/data/a', 'é'.repeat(1_000_000))] })]));

  expect(objects[0]?.fields[0]?.after).toBe(`${'é'.repeat(most.textCharacters)}…`);
  expect(cut).toEqual({ ...nothingCut, values: 1 });
});

test('more fields than an object shows are counted', () => {
  const fields = Array.from({ length: most.fields + 3 }, (_, index) => field(`/data/${index}`, 'x'));

  const { objects, cut } = boundResult(result([planned({ fields })]));

  expect(objects[0]?.fields).toHaveLength(most.fields);
  expect(cut).toEqual({ ...nothingCut, fields: 3 });
});

test('objects beyond the limit are counted, and blocked, replaced and deleted ones are shown first', () => {
  const objects = Array.from({ length: most.objects }, (_, index) => planned({ action: 'create', name: `n${index}` }));
  const last = ['change', 'delete', 'replace', 'blocked'] as const;

  const bounded = boundResult(result([...objects, ...last.map((action) => planned({ action }))]));

  expect(bounded.objects.slice(0, 4).map(({ action }) => action)).toEqual(['blocked', 'replace', 'delete', 'change']);
  expect(bounded.objects).toHaveLength(most.objects);
  expect(bounded.cut).toEqual({ ...nothingCut, objects: 4 });
});

test('a result takes at most half a mebibyte', () => {
  const fields = Array.from({ length: 100 }, (_, index) => field(`/data/${index}`, '"'.repeat(900)));
  const objects = Array.from({ length: 400 }, (_, index) => planned({ name: `n${index}`, fields }));

  const bounded = boundResult(result(objects));

  expect(jsonBytes(bounded)).toBeLessThan(most.bytes + 16 * 1024);
  expect(bounded.cut.fields).toBeGreaterThan(1_000);
});

test('characters that Postgres cannot store are removed from names, paths and values', () => {
  const bounded = boundResult(
    result([planned({ name: 'a\0b\u202Ec', fields: [field('/data/\0', 'x\0y'), field('/data/a', '\uD800')] })]),
  );

  expect(DryRunResult.parse(bounded).objects).toEqual([
    planned({ name: 'a b c', fields: [field('/data/', 'xy…'), field('/data/a', '…')] }),
  ]);
});
