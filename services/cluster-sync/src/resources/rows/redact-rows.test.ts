import { AppError } from '@berth/contracts/errors';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import { beforeEach, expect, test } from 'vitest';
import type { ObservedObject } from '../objects/observed-object.ts';
import { trackedObject } from '../objects/tracked-object.ts';
import type { RowChange } from './change-queue.ts';
import { createRedactRows, type RedactRows } from './redact-rows.ts';

const deploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';
const secret = 'contents-of-a-secret';

let asked: { names: string[]; messages: string[] }[];
let failure: Error | null;
let redactRows: RedactRows;
beforeEach(() => {
  [asked, failure] = [[], null];
  const redact = (texts: string[]) => texts.map((text) => text.replaceAll(secret, '***'));
  redactRows = createRedactRows({
    bus: {
      call: async (_, request) => {
        if (failure) throw failure;
        const { deployments } = shownTexts.operations.redact.body.parse(Object(request).body);
        asked.push(...deployments);
        const answers = deployments.map(({ names, messages, ...rest }) => ({
          ...rest,
          names: redact(names),
          messages: redact(messages),
        }));
        return JSON.parse(JSON.stringify({ deployments: answers }));
      },
    },
  });
});

const changeOf = (metadata: ObservedObject['metadata'], name = 'web-1'): RowChange => {
  const shape = { uid: name, namespace: 'ns', kind: 'Pod', api_version: 'v1', status_color: [], name, metadata };
  return { uid: name, put: trackedObject(shape, deploymentId) };
};
const rowsOf = (changes: readonly RowChange[]) => changes.map(({ put }) => (put ? JSON.parse(put.row) : null));

test('secrets are redacted in labels, names, owners, hosts and messages before a row is written', async () => {
  const metadata = {
    uid: 'u1',
    name: `web-${secret}`,
    labels: { app: 'web-app', conf: secret },
    ownerReferences: [{ name: `set-of-${secret}` }],
    summary: { hosts: `${secret}.example.com`, restarts: 3 },
    cause: 'CrashLoopBackOff',
    message: `exec: "${secret}": not found`,
  };

  const [row] = rowsOf(await redactRows([changeOf(metadata, `web-${secret}`)]));

  expect(row).toMatchObject({
    name: 'web-***',
    deployment_id: deploymentId,
    metadata: {
      uid: 'u1',
      name: 'web-***',
      labels: { app: 'web-app', conf: '***' },
      ownerReferences: [{ name: 'set-of-***' }],
      summary: { hosts: '***.example.com', restarts: 3 },
      cause: 'CrashLoopBackOff',
      message: 'exec: "***": not found',
    },
  });
});

test('secrets are redacted in keys, and below keys that are harmless elsewhere', async () => {
  const metadata = {
    uid: 'u1',
    labels: { [secret]: 'yes', uid: secret, cause: secret },
    ownerReferences: [{ uid: secret }],
    // A controller may write any reason into the status of a custom resource.
    cause: secret,
  };

  const [row] = rowsOf(await redactRows([changeOf(metadata)]));

  expect(row.metadata).toEqual({
    uid: 'u1',
    labels: { '***': 'yes', uid: '***', cause: '***' },
    ownerReferences: [{ uid: '***' }],
    cause: '***',
  });
});

test('a harmless name is sent for redaction once; a message is sent each time', async () => {
  const change = changeOf({ labels: { app: 'web-application' }, message: 'not ready: no endpoints' });
  await redactRows([change]);
  await redactRows([change, { uid: 'gone' }]);

  expect(asked.map(({ names }) => names)).toEqual([['web-application'], []]);
  expect(asked.map(({ messages }) => messages)).toEqual([['not ready: no endpoints'], ['not ready: no endpoints']]);
});

test('large rows are redacted in several calls, and texts that are too long are hidden', async () => {
  const large = (index: number) =>
    changeOf(
      {
        labels: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`l${n}`, `${index}-${'x'.repeat(60)}${n}`])),
      },
      `web-${index}`,
    );

  const rows = rowsOf(
    await redactRows([...Array.from({ length: 20 }, (_, index) => large(index)), changeOf({ odd: 'x'.repeat(2_000) })]),
  );

  expect(asked.length).toBeGreaterThan(2);
  expect(rows[3]?.metadata.labels.l7).toBe(`3-${'x'.repeat(60)}7`);
  expect(rows.at(-1)?.metadata).toEqual({ odd: '***' });
});

test('rows are not written while tasks cannot redact them', async () => {
  failure = new AppError('unavailable', 'tasks does not answer');

  await expect(redactRows([changeOf({ message: 'something is wrong' })])).rejects.toBe(failure);
});
