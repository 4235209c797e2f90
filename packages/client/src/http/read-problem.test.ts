import { describe, expect, test } from 'vitest';
import { readProblem } from './read-problem.ts';

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers });

describe('reading a problem', () => {
  test('a problem document keeps its code, detail, fields, request id and pause', async () => {
    const errors = [{ path: 'body.name', message: 'is required' }];
    const body = JSON.stringify({ code: 'invalid', detail: 'body.name: is required', errors });

    expect(
      await readProblem('GET /api/v2/envs', answer(400, body, { 'x-request-id': 'r1', 'retry-after': '2' })),
    ).toEqual({
      code: 'invalid',
      request: 'GET /api/v2/envs',
      status: 400,
      detail: 'body.name: is required',
      errors,
      requestId: 'r1',
      retryAfterMs: 2_000,
    });
  });

  test.for([
    ['a page of a proxy', '<html>Bad gateway</html>'],
    ['an empty body', ''],
    ['JSON that is not a problem document', '[1]'],
    ['a code that the API does not define', '{"code":"odd","detail":"x"}'],
  ])('%s is unintelligible', async ([, body]) => {
    expect(await readProblem('GET /api/v2/envs', answer(502, body ?? ''))).toMatchObject({
      code: 'unintelligible',
      status: 502,
      errors: [],
    });
  });

  test('a code that the API does not define yet keeps its words', async () => {
    const body = '{"code":"teapot","detail":"Short and stout"}';

    expect((await readProblem('GET /api/v2/envs', answer(418, body))).detail).toBe(
      'Short and stout (HTTP 418, teapot)',
    );
  });

  test('fields that do not have the documented shape are omitted', async () => {
    const body = JSON.stringify({
      code: 'invalid',
      detail: 'x',
      errors: [null, 1, { path: 'a' }, { path: 'a', message: 'b' }],
    });

    expect((await readProblem('GET /api/v2/envs', answer(400, body))).errors).toEqual([{ path: 'a', message: 'b' }]);
  });
});
