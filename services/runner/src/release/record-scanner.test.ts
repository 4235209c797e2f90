import { expect, test } from 'vitest';
import { createRecordScanner } from './record-scanner.ts';

const release = {
  name: 'web',
  info: {
    first_deployed: '2026-01-01T00:00:00Z',
    status: 'deployed',
    description: 'Install "complete"\n',
    notes: 'status: \\"no\\" ü {[',
    resources: { 'v1/Pod': [{ status: 'Running', version: 9 }] },
  },
  chart: { metadata: { version: '1.0' }, version: 7, info: { status: 'no' }, files: [[], [[]], {}] },
  config: { 'a"b': null, manifest: 'no', n: -1.5e3, t: true },
  manifest: '---\nkind: Pod # ü "quoted" \\\n',
  hooks: [],
  version: 12,
  namespace: 'web',
};

function scan(text: string, size = 64 * 1024) {
  const bytes = Buffer.from(text);
  const scanner = createRecordScanner({ withManifest: true });
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  const found = scanner.end();
  return found && new Map([...found].map(([field, { value, from, to }]) => [field, [value, bytes.subarray(from, to)]]));
}

const expected = (json: typeof release) => [
  ['info.status', [json.info.status, Buffer.from(JSON.stringify(json.info.status))]],
  ['info.description', [json.info.description, Buffer.from(JSON.stringify(json.info.description))]],
  ['manifest', [json.manifest, Buffer.from(JSON.stringify(json.manifest))]],
  ['version', [json.version, Buffer.from(String(json.version))]],
];

test.for([1, 2, 3, 7, 64, 65_536])('a record is read the same in chunks of %d bytes', (size) => {
  expect([...(scan(JSON.stringify(release), size) ?? [])]).toEqual(expected(release));
  expect([...(scan(JSON.stringify(release, null, 2), size) ?? [])]).toEqual(expected(release));
});

test('the last of several equal keys counts, as for JSON.parse', () => {
  expect(scan('{"info":{"status":"a","status":"b"},"version":1,"version":2}')?.get('version')?.[0]).toBe(2);
  expect(scan('{"info":{"status":"a","status":"b"}}')?.get('info.status')?.[0]).toBe('b');
});

test('keys are matched without regard to case, as Helm does', () => {
  const found = scan('{"info":{"status":"failed"},"version":3,"Info":{"\u017ftatus":"deployed"},"VER\u017fION":9}');

  expect([found?.get('info.status')?.[0], found?.get('version')?.[0]]).toEqual(['deployed', 9]);
});

test.for([
  ['a list', '[{"info":{"status":"deployed"}}]'],
  ['an info that is not an object', '{"info":[{"status":"deployed"}]}'],
  ['a status below another key', '{"x":{"status":"deployed"}}'],
  ['nothing', ''],
] as const)('there is no status in %s', ([, text]) => {
  expect(scan(text)?.get('info.status')).toBeUndefined();
});

test.for([
  ['cut off', JSON.stringify(release).slice(0, -20)],
  ['with a status that is too long', JSON.stringify({ info: { status: 'x'.repeat(100) } })],
  ['with a manifest that is too long', JSON.stringify({ ...release, manifest: 'x'.repeat(5_000_000) })],
  ['with a version that is not JSON', '{"info":{"status":"deployed"},"version":0x10}'],
] as const)('a record %s is invalid', ([, text]) => {
  expect(scan(text)).toBeNull();
});

test('a key that is too long, or that the scanner does not look for, is skipped', () => {
  const text = JSON.stringify({
    [`info${'x'.repeat(100)}`]: { status: 'no' },
    ['y'.repeat(300_000)]: 1,
    version: 3,
  });

  expect([...(scan(text, 1_000)?.keys() ?? [])]).toEqual(['version']);
});
