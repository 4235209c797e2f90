import { gunzipSync, gzipSync } from 'node:zlib';
import { loopCost } from '@berth/testing/loop-cost';
import { expect, test } from 'vitest';
import { manifestInPayload, recordInPayload, withStatus } from './release-payload.ts';

const payloadOfText = (text: string) => {
  const inner = gzipSync(text).toString('base64');
  return Buffer.from(inner, 'latin1').toString('base64');
};
const payloadOf = (release: object) => payloadOfText(JSON.stringify(release));

const releaseIn = (payload: string): unknown =>
  JSON.parse(gunzipSync(Buffer.from(Buffer.from(payload, 'base64').toString('latin1'), 'base64')).toString());

test('status and version of a release are read from its payload', async () => {
  const payload = payloadOf({ name: 'x', info: { status: 'pending-upgrade' }, version: 3 });

  expect(await recordInPayload(payload)).toEqual({ status: 'pending-upgrade', version: 3 });
});

test.for([
  { status: 'pending-install', notes: 'ü' },
  { notes: '', description: 'Underway', status: 'pending-install' },
])('a release payload gets another status and keeps everything else: %o', async (info) => {
  const release = { name: 'x', version: 3, info, config: { a: [1, 12345678901234567890n.toString()] } };

  const changed = await withStatus(payloadOf(release), 'failed', 'cut off');

  expect(await recordInPayload(changed)).toEqual({ status: 'failed', version: 3 });
  expect(releaseIn(changed)).toEqual({ ...release, info: { ...info, status: 'failed', description: 'cut off' } });
});

test.for(['', 'bm9wZQ==', payloadOf({ no: 'info' }), payloadOf({ info: { status: 'deployed' } })])(
  'a release payload that Helm did not write is not read: %s',
  async (data) => {
    expect(await recordInPayload(data)).toBeNull();
  },
);

const forged = (most: number) => {
  const start = '{"info":{"status":"deployed"},"version":99,"x":[';
  return `${start}${'[],'.repeat(most)}[]],"manifest":"a: 1"}`;
};

test('a forged record of 43 KB is read in linear time without blocking the event loop', async () => {
  const payload = payloadOfText(forged(5_000_000));
  expect(payload.length).toBeLessThan(43_000);

  const { result, longestTurnMs, mostHeapMb } = await loopCost(() =>
    Promise.all(Array.from({ length: 4 }, () => recordInPayload(payload))),
  );

  expect(result).toEqual(Array.from({ length: 4 }, () => ({ status: 'deployed', version: 99 })));
  expect(await manifestInPayload(payload)).toBe('a: 1');
  // JSON.parse took 2,800 ms in one turn, and a gigabyte.
  expect(longestTurnMs).toBeLessThan(150);
  expect(mostHeapMb).toBeLessThan(100);
});

test('a record that unpacks to more than any chart is not read', async () => {
  expect(await recordInPayload(payloadOfText(forged(6_000_000)))).toBeNull();
});
