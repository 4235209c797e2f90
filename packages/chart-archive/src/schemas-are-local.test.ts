import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { schemasAreLocal } from './schemas-are-local.ts';
import { chartTgz, chartYaml, tarHeader, tarOf } from './testing/tgz.ts';

const base = { 'Chart.yaml': chartYaml() };
const remote = { $ref: 'http://169.254.169.254/latest' };
const withSchema = (schema: unknown, path = 'values.schema.json') =>
  chartTgz({ ...base, [path]: typeof schema === 'string' ? schema : JSON.stringify(schema) });

test.for<[string, unknown]>([
  ['true', true],
  ['of a draft that Helm knows', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
  [
    'that refers to its own parts',
    { $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a' }, $ref: { type: 'null' } } },
  ],
])('a schema %s is local', async ([, schema]) => {
  expect(await schemasAreLocal(await withSchema(schema))).toBe(true);
});

test('a chart without a schema is local', async () => {
  expect(await schemasAreLocal(await chartTgz({ ...base, 'README.md': 'values.schema.json refers to http://a' }))).toBe(
    true,
  );
});

test.for<[string, unknown]>([
  ['a host', { properties: { a: remote } }],
  ['a file', { allOf: [{ $ref: 'file:///proc/self/environ' }] }],
  ['a file beside it', { $ref: 'other.json' }],
  ['a draft that Helm would load', { $schema: 'https://example.com/draft' }],
  ['a host, with escapes', '{"\\u0024ref":"http://a"}'],
  ['a host in a dynamic reference', { $dynamicRef: 'http://a#x' }],
  ['nothing that can be read', '{"$ref":"http://a",}'],
])('a schema that refers to %s is not', async ([, schema]) => {
  expect(await schemasAreLocal(await withSchema(schema))).toBe(false);
  expect(await schemasAreLocal(await withSchema(schema, 'charts/sub/values.schema.json'))).toBe(false);
});

test('a packed subchart is checked too', async () => {
  const pack = async (schema: unknown) => {
    const inner = await chartTgz({ ...base, 'values.schema.json': JSON.stringify(schema) }, 'inner');
    const sub = [{ name: 'sub/charts/inner.tgz', body: inner }];
    const outer = [
      { name: 'web/Chart.yaml', body: chartYaml() },
      { name: 'web/charts/sub.tgz', body: gzipSync(await tarOf(sub)) },
    ];
    return gzipSync(await tarOf(outer));
  };

  expect([await schemasAreLocal(await pack({})), await schemasAreLocal(await pack(remote))]).toEqual([true, false]);
});

test('a schema whose name a header hides from other readers is found', async () => {
  const entries = await tarOf([{ name: 'web/values.schema.json', body: JSON.stringify(remote) }]);
  const global = tarHeader('g', '22 path=web/README.md\n');
  const sparse = tarHeader('x', '41 GNU.sparse.name=web/values.schema.json\n');
  const hidden = await tarOf([{ name: 'web/README.md', body: JSON.stringify(remote) }]);

  for (const tar of [
    Buffer.concat([global, tarHeader('x', '11 comment=\n'), entries]),
    Buffer.concat([sparse, hidden]),
  ]) {
    expect(await schemasAreLocal(gzipSync(tar))).toBe(false);
  }
});
