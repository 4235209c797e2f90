import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { type Browser, finishSignIn, startSignIn } from './sign-in.ts';
import { readTerminalSignIn } from './terminal-sign-in.ts';

let kept: Map<string, string>;
let browser: Browser;
let challenge: string | undefined;
let finished: { auth_code: string; state: string; verifier?: string; iss?: string } | undefined;

beforeEach(() => {
  kept = new Map();
  [challenge, finished] = [undefined, undefined];
  browser = {
    crypto,
    sessionStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
  };
});

const success = { ok: true, etag: null, taskIds: [], taskCount: 0 } as const;
const platform = {
  logins: {
    start: async ({ query }: { query?: { challenge?: string } }) => {
      challenge = query?.challenge;
      return { ...success, value: { redirect_url: 'https://provider.example.test/authorize', state: 's1' } };
    },
    finish: async ({ body }: { body: NonNullable<typeof finished> }) => {
      finished = body;
      const problem = { code: 'invalid_login', status: 400, detail: 'This login is no longer valid' };
      if (body.auth_code === 'bad') return { ok: false, problem };
      return { ...success, value: { access_token: `session of ${body.auth_code}` } };
    },
  },
} as never;

const finish = (search: string) => finishSignIn(platform, browser, new URLSearchParams(search));

test('a sign-in is bound to its tab, and returns to the requested page', async () => {
  expect(await startSignIn(platform, browser, '/tasks?env=x')).toBe('https://provider.example.test/authorize');
  const { token, from } = await finish('?code=c1&state=s1&iss=https%3A%2F%2Fprovider.example.test');

  expect([token, from]).toEqual(['session of c1', '/tasks?env=x']);
  expect(finished).toMatchObject({ auth_code: 'c1', state: 's1', iss: 'https://provider.example.test' });
  expect(finished?.verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(
    createHash('sha256')
      .update(finished?.verifier ?? '')
      .digest('base64url'),
  ).toBe(challenge);
  expect(kept.size).toBe(0);
});

test.for([
  ['that another tab started', '?code=c1&state=s1', false],
  ['with a foreign state', '?code=c1&state=s2', true],
  ['without a state', '?code=c1', true],
] as const)('a sign-in %s is refused without a request', async ([, search, isStarted]) => {
  if (isStarted) await startSignIn(platform, browser, '/');
  await expect(finish(search)).rejects.toThrow('was not started in this tab');
  expect(finished).toBeUndefined();
});

test('the user learns why the identity provider or the platform refuses', async () => {
  await startSignIn(platform, browser, '/');
  await expect(finish('?error=access_denied&error_description=Not%20today&state=s1')).rejects.toThrow(
    'refused the sign-in: Not today',
  );
  await startSignIn(platform, browser, '/');
  await expect(finish('?code=bad&state=s1')).rejects.toThrow('This login is no longer valid');
});

test('only the server describes a sign-in that a terminal started, and the console does not finish it', async () => {
  const describe = async ({ query: { state } }: { query: { state: string } }) => {
    const handTo: Record<string, string> = { s1: '127.0.0.1:51234', screen: 'screen' };
    if (state === 'unknown') return { ok: false, problem: { code: 'not_found' } };
    return { ...success, value: { hand_to: handTo[state] ?? null, confirmation: '7KQF-2MPD' } };
  };
  const read = (search: string) => readTerminalSignIn({ logins: { describe } } as never, new URLSearchParams(search));

  expect(await read('?code=c&state=s1&iss=https%3A%2F%2Fp.test&hand_to=evil.test&x=1')).toEqual({
    confirmation: '7KQF-2MPD',
    to: { address: 'http://127.0.0.1:51234/?code=c&state=s1&iss=https%3A%2F%2Fp.test' },
  });
  expect(await read('?code=c&state=screen')).toMatchObject({ to: { code: 'code=c&state=screen' } });
  for (const none of ['?code=c&state=tab', '?code=c&state=unknown', '?code=c', '?error=access_denied&state=s1'])
    expect(await read(none)).toBeNull();
});
