import type { KubeCall } from '@berth/kube/kube-api';
import { AnswerTooLarge } from '@berth/kube/kube-error';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listObjects } from './list-objects.ts';

const item = z.object({ id: z.number() });
const call = { path: '/things', item, deadlineMs: 1_000, signal: new AbortController().signal };

/** A server with `total` objects, or endless ones, that answers at most `most` of them. */
function server(total: number, most = 1_000) {
  const requests: { limit: number; answer: string | undefined }[] = [];
  return {
    requests,
    api: {
      getJson: async (path: string, { answer }: KubeCall) => {
        const query = new URL(path, 'https://cluster').searchParams;
        const limit = Number(query.get('limit'));
        requests.push({ limit, answer });
        if (limit > most) throw new AnswerTooLarge(0);
        const from = Number(query.get('continue') ?? 0);
        const ids = Array.from({ length: Math.min(limit, total - from) }, (_, index) => ({ id: from + index }));
        const next = from + limit < total ? { continue: `${from + limit}` } : {};
        return { metadata: next, items: ids.length === 0 ? null : ids };
      },
    },
  };
}

test('a list is read to its end', async () => {
  const { api } = server(120);

  const { items, isPartial } = await listObjects(api, call);

  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, id) => id));
  expect(isPartial).toBe(false);
});

test('an endless list is read for four pages', async () => {
  const { api, requests } = server(Number.MAX_SAFE_INTEGER);

  expect(await listObjects(api, call)).toMatchObject({ items: { length: 200 }, isPartial: true });
  expect(requests).toHaveLength(4);
  expect(requests.every(({ answer }) => answer === 'list')).toBe(true);
});

test('a page of large objects is read in smaller pages, and given up if even these are too large', async () => {
  const large = server(12, 5);
  expect(await listObjects(large.api, call)).toMatchObject({ items: { length: 12 }, isPartial: false });

  const huge = server(12, 4);
  expect(await listObjects(huge.api, call)).toEqual({ items: [], isPartial: true });
});

test('an object of another shape is skipped, and an empty list may be null', async () => {
  const getJson = async () => ({ items: [{ id: 'one' }, { id: 2 }] });
  expect((await listObjects({ getJson }, call)).items).toEqual([{ id: 2 }]);
  expect((await listObjects(server(0).api, call)).items).toEqual([]);
});
