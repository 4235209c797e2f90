import { faultsOf, forEachInput, worstJson } from '@berth/testing/worst-inputs';
import { describe, expect, test } from 'vitest';
import { readStatus } from './read-status.ts';

const token = 'eyJh.eyJi.c2ln';
const answer = (body: unknown, status = 200) => ({
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  isCut: false,
});
const read = (body: unknown, status?: number) => readStatus(answer(body, status), token);
const idle = { status: { name: 'Idle', color: 'success' } };

describe('the status that a deployment answers', () => {
  test('is read with numbers as decimal texts, without unknown members', () => {
    const body = {
      ...idle,
      primary_metric: { value: 3, unit: 'jobs', short_description: 'waiting', color: null },
      metrics: [{ value: '-0.5', unit: '', short_description: 'drift', color: 'danger', trend: 'up' }],
      other: { secret: 1 },
    };

    expect(read(body)).toEqual({
      content: {
        ...idle,
        primary_metric: { value: '3', unit: 'jobs', short_description: 'waiting', color: null },
        metrics: [{ value: '-0.5', unit: '', short_description: 'drift', color: 'danger' }],
        notices: [],
      },
    });
  });

  test.for<[string, unknown, number, string]>([
    ['an HTTP status other than 2xx', idle, 500, 'It answered 500'],
    ['a redirect', '', 302, 'It answered 302, and redirects are not followed'],
    ['an answer that is not JSON', '<html>', 200, 'Its answer is not JSON'],
    ['an answer that is nested too deep', '['.repeat(10_000) + ']'.repeat(10_000), 200, 'Its answer is not JSON'],
    ['NUL in a text', { status: { name: 'a\0', color: 'success' } }, 200, 'Its answer is not JSON'],
    ['an unknown color', { status: { name: 'a', color: 'Green' } }, 200, 'Its answer is not a status: status.color'],
    ['a missing status', {}, 200, 'Its answer is not a status: status'],
    [
      'a number that is not decimal',
      { ...idle, primary_metric: { value: 1e300, unit: '', short_description: '' } },
      200,
      'Its answer is not a status: primary_metric.value',
    ],
    [
      'too many notices',
      { ...idle, notices: Array.from({ length: 51 }, () => ({ level: 'Info', text: '' })) },
      200,
      'Its answer is not a status: notices',
    ],
  ])('is an error for %s', ([, body, status, error]) => {
    expect(read(body, status)).toEqual({ error: expect.stringContaining(error) });
  });

  test('never contains the token, not even escaped', () => {
    const escaped = token.replace('e', String.raw`\u0065`);

    expect(read(`{"status":{"name":"${escaped}","color":"success"}}`)).toEqual({
      content: { status: { name: '***', color: 'success' }, notices: [] },
    });
  });

  test('has texts of at most 500 characters without control characters', () => {
    const { content } = read({ ...idle, notices: [{ level: 'Info', text: `\u001b[31m${'x'.repeat(600)}` }] }) as {
      content: { notices: { text: string }[] };
    };

    expect(content.notices[0]?.text).toBe('x'.repeat(500));
  });
});

test('blocks the event loop for milliseconds only, even if it is the costliest answer', async () => {
  expect(await faultsOf(forEachInput(worstJson(256 * 1024), async (json) => read(json)))).toEqual([]);
});
