import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { statusInPayload, withStatus } from './release-payload.ts';

const payloadOf = (release: object) => {
  const inner = gzipSync(JSON.stringify(release)).toString('base64');
  return Buffer.from(inner, 'latin1').toString('base64');
};

const releaseIn = (payload: string): unknown =>
  JSON.parse(gunzipSync(Buffer.from(Buffer.from(payload, 'base64').toString('latin1'), 'base64')).toString());

test('the status of a release is read from its payload', async () => {
  expect(await statusInPayload(payloadOf({ name: 'x', info: { status: 'pending-upgrade' } }))).toBe('pending-upgrade');
});

test('a release payload gets another status and keeps everything else', async () => {
  const release = { name: 'x', version: 3, info: { status: 'pending-install', notes: 'ü' }, config: { a: [1] } };

  const changed = await withStatus(payloadOf(release), 'failed', 'cut off');

  expect(await statusInPayload(changed)).toBe('failed');
  expect(releaseIn(changed)).toEqual({
    ...release,
    info: { ...release.info, status: 'failed', description: 'cut off' },
  });
});

test.for(['', 'bm9wZQ==', payloadOf({ no: 'info' })])(
  'a release payload that Helm did not write has no status: %s',
  async (data) => {
    expect(await statusInPayload(data)).toBeNull();
  },
);
