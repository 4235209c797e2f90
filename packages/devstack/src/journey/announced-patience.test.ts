import type { Problem } from '@berth/client';
import { expect, test } from 'vitest';
import { announcedPatience } from './announced-patience.ts';

const problem = (status: number, detail = 'Too much to do right now'): Problem => ({
  code: status === 0 ? 'unreachable' : 'unavailable',
  request: 'GET /api/v2/envs',
  status,
  detail,
  errors: [],
  requestId: null,
  retryAfterMs: 1_000,
});

test('a wait for the platform is announced once per reason, with its limit', () => {
  const lines: string[] = [];
  const { ms, onWait } = announcedPatience(60_000, (line) => lines.push(line));

  for (const status of [503, 503, 429, 429]) onWait?.(problem(status), 1_000);
  onWait?.(problem(0, 'The server did not answer'), 1_000);

  expect(ms).toBe(60_000);
  expect(lines).toEqual([
    'GET /api/v2/envs: answered 503; waiting for the platform, 60 s at most',
    'GET /api/v2/envs: answered 429; waiting for the platform, 60 s at most',
    'GET /api/v2/envs: The server did not answer; waiting for the platform, 60 s at most',
  ]);
});
