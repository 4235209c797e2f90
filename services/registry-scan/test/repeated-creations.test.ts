import { randomUUID } from 'node:crypto';
import { helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterEach, expect, test } from 'vitest';
import { filledService } from './support/filled-service.ts';

const { siteAdmin } = sampleIdentities;
const otherAdmin = { ...siteAdmin, id: randomUUID() };
const { call } = filledService();
const { create, list, delete: remove } = helmTagFormats.operations;

const added = new Set<string>();
const add = async (word: string, idempotencyKey: string, by = siteAdmin) => {
  const body = { pattern: `^${word}-(?<version>\\d+)$` };
  const format = await call(create, by, { body }, { idempotencyKey });
  added.add(format.id);
  return format;
};
const count = async () => (await call(list, siteAdmin, {})).num_total;
afterEach(async () => {
  for (const id of added) await call(remove, siteAdmin, { id });
  added.clear();
});

test('a repeated creation of a tag format makes one row and gets the first answer', async () => {
  const before = await count();
  const key = randomUUID();

  const answers = await Promise.all(Array.from({ length: 20 }, () => add('a', key)));
  answers.push(await add('a', key));

  expect(answers).toEqual(Array.from({ length: 21 }, () => answers[0]));
  expect(await count()).toBe(before + 1);
  await expect(add('b', key)).rejects.toMatchObject({
    code: 'unprocessable',
    errors: [{ path: 'headers.idempotency-key' }],
  });
});

test('an idempotency key belongs to one caller, and a failed creation does not use it up', async () => {
  const key = randomUUID();
  const { pattern } = await add('a', key);

  await expect(add('a', key, otherAdmin)).rejects.toMatchObject({ code: 'conflict' });
  const other = await add('b', key, otherAdmin);

  expect(other.pattern).not.toBe(pattern);
});
