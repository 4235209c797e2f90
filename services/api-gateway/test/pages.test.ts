import { createHash } from 'node:crypto';
import { logins } from '@berth/contracts/resources/accounts/logins';
import { me } from '@berth/contracts/resources/accounts/me';
import { AppError } from '@berth/contracts/errors';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { problemOf } from './support/problem-of.ts';
import { some, startTestGateway, type TestGateway, testAuth } from './support/start-test-gateway.ts';

interface Pages {
  startSignIn(browser: object): Promise<string>;
  finishSignIn(browser: object): Promise<void>;
  whoIsSignedIn(browser: object): Promise<{ words: string; signedIn: boolean }>;
  signOut(browser: object): void;
}

const { startSignIn, finishSignIn, whoIsSignedIn, signOut }: Pages = await import(
  new URL('../pages/sign-in.js', import.meta.url).href
);

interface TerminalSignIn {
  confirmation: string;
  address?: string;
  code?: string;
}

const { readTerminalSignIn }: { readTerminalSignIn(browser: object): Promise<TerminalSignIn | null> } = await import(
  new URL('../pages/terminal-sign-in.js', import.meta.url).href
);

let gateway: TestGateway;
let challenge: string | undefined;
let finished: { verifier?: string | undefined } | undefined;
const bot = { created_at: '2026-01-02T03:04:05.678Z', display_name: 'Ada', is_active: true };
const active = new Set(['siteAdmin', 'outsider']);

beforeAll(async () => {
  gateway = await startTestGateway();
  const finish = async ({ body }: { body: { auth_code: string; verifier?: string | undefined } }) => {
    finished = body;
    if (body.auth_code === 'bad') throw new AppError('invalid_login', 'This login is no longer valid');
    return { access_token: body.auth_code };
  };
  await gateway.serve(
    'auth',
    testAuth(active),
    some(logins, {
      start: async ({ query }) => {
        challenge = query.challenge;
        return { redirect_url: 'https://provider.example.test/authorize?state=s1', state: 's1' };
      },
      describe: async ({ query: { state } }) => {
        if (state === 'unknown') throw new AppError('invalid_login', 'This login is unknown');
        const hand_to = state === 'tab' ? null : state === 'screen' ? 'screen' : '127.0.0.1:51234';
        return { hand_to, confirmation: '7KQF-2MPD' };
      },
      finish,
    }),
    some(me, {
      get: async (_request, { identity: { id } }) => ({ Bot: { ...bot, id } }),
    }),
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** A simulated browser tab with the parts that the pages use. */
function openTab() {
  const storage = () => {
    const kept = new Map<string, string>();
    return {
      kept,
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
  };
  const location = new URL('/auth/idp/callback', gateway.url);
  return {
    crypto,
    location,
    sessionStorage: storage(),
    localStorage: storage(),
    history: {
      replaceState: (_state: unknown, _title: string, path: string) =>
        void (location.href = new URL(path, location).href),
    },
    fetch: (path: string, init?: RequestInit) => fetch(new URL(path, gateway.url), init),
  };
}
let tab: ReturnType<typeof openTab>;
beforeEach(() => {
  tab = openTab();
  finished = undefined;
});

test('a sign-in is bound to its tab, stores a session and shows the user', async () => {
  expect(await startSignIn(tab)).toBe('https://provider.example.test/authorize?state=s1');
  tab.location.search = '?code=siteAdmin&state=s1&iss=https%3A%2F%2Fprovider.example.test';
  await finishSignIn(tab);

  expect(tab.location.search).toBe('');
  expect(finished).toMatchObject({ auth_code: 'siteAdmin', state: 's1', iss: 'https://provider.example.test' });
  const { verifier = '' } = finished ?? {};
  expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
  expect(tab.localStorage.kept).toEqual(new Map([['access_token', 'siteAdmin']]));
  expect(tab.sessionStorage.kept.size).toBe(0);
  expect(await whoIsSignedIn(tab)).toEqual({ words: 'Signed in as Ada.', signedIn: true });

  signOut(tab);
  expect(await whoIsSignedIn(tab)).toMatchObject({ words: 'You are not signed in.', signedIn: false });
});

test.for([
  ['that another tab started', '?code=siteAdmin&state=s1', false],
  ['with a foreign state', '?code=siteAdmin&state=s2', true],
  ['without a state', '?code=siteAdmin', true],
] as const)(
  'a sign-in %s is refused without a request, and the code is removed from the address',
  async ([, search, started]) => {
    if (started) await startSignIn(tab);
    tab.location.search = search;
    await expect(finishSignIn(tab)).rejects.toThrow('was not started in this tab');
    expect([tab.location.search, finished, tab.localStorage.kept.size]).toEqual(['', undefined, 0]);
  },
);

test('a sign-in that a terminal started is described by the server alone, and finished nowhere', async () => {
  const read = async (search: string) => {
    tab.location.search = search;
    return readTerminalSignIn(tab);
  };

  const port = await read('?code=c&state=s1&iss=https%3A%2F%2Fp.test&hand_to=evil.test&x=1');
  expect(port).toEqual({
    confirmation: '7KQF-2MPD',
    address: 'http://127.0.0.1:51234/?code=c&state=s1&iss=https%3A%2F%2Fp.test',
  });
  expect(await read('?code=c&state=screen')).toEqual({ confirmation: '7KQF-2MPD', code: 'code=c&state=screen' });
  for (const none of ['?code=c&state=tab', '?code=c&state=unknown', '?code=c', '?error=access_denied&state=s1'])
    expect(await read(none)).toBeNull();
  expect([finished, tab.localStorage.kept.size]).toEqual([undefined, 0]);
});

test('the page hands a code to a terminal when the person confirms it, and not before', async () => {
  const elements = new Map<string, { textContent: string; hidden: boolean; press: () => void }>();
  const elementOf = (selector: string) => {
    const made = {
      textContent: '',
      hidden: true,
      press: () => undefined as void,
      addEventListener: (_: string, act: () => void) => void (made.press = act),
    };
    return elements.get(selector) ?? (elements.set(selector, made), made);
  };
  const handed: string[] = [];
  tab.location.search = '?code=c&state=s1';
  Object.assign(tab.location, { replace: (address: string) => handed.push(address) });
  vi.stubGlobal('document', { querySelector: elementOf });
  vi.stubGlobal('window', tab);
  for (const name of ['location', 'history'] as const) vi.stubGlobal(name, tab[name]);
  try {
    await import(new URL('../pages/callback.js', import.meta.url).href);

    expect([tab.location.search, elements.get('#confirmation')?.textContent, handed]).toEqual(['', '7KQF-2MPD', []]);
    elements.get('#confirm')?.press();
    expect(handed).toEqual(['http://127.0.0.1:51234/?code=c&state=s1']);
    expect(finished).toBeUndefined();
  } finally {
    vi.unstubAllGlobals();
  }
});

test('a refusal of the identity provider or the server is shown', async () => {
  await startSignIn(tab);
  tab.location.search = '?error=access_denied&error_description=Not%20today&state=s1';
  await expect(finishSignIn(tab)).rejects.toThrow('refused the sign-in: Not today');

  await startSignIn(tab);
  tab.location.search = '?code=bad&state=s1';
  await expect(finishSignIn(tab)).rejects.toThrow('This login is no longer valid');
});

test('the page shows that a user is inactive, and removes a session that has ended', async () => {
  tab.localStorage.setItem('access_token', 'envUser');
  expect((await whoIsSignedIn(tab)).words).toMatch(/^Inactive user/);
  tab.localStorage.setItem('access_token', 'nobody');
  expect((await whoIsSignedIn(tab)).words).toMatch(/^Your session has ended/);
  expect(tab.localStorage.kept.size).toBe(0);
});

test.for([['/'], ['/auth/idp/callback']])(
  'the page %s runs no inline script and loads nothing from other servers',
  async ([path = '']) => {
    const response = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');

    const html = await response.text();
    expect(html).toContain('Berth');
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=| on\w+=/);
    for (const [, source = ''] of html.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g)) {
      const file = await fetch(`${gateway.url}${source}`);
      expect([source, file.status]).toEqual([source, 200]);
      expect(file.headers.get('content-type')).toMatch(/javascript|css/);
    }
  },
);

test('the callback path allows only POST for clients that do not accept HTML', async () => {
  const response = await fetch(`${gateway.url}/auth/idp/callback?code=x`, {
    headers: { accept: 'application/json' },
  });
  expect(response.headers.get('allow')).toBe('POST');
  expect(await problemOf(response)).toMatchObject({ status: 405 });
});

test('no other files are served below /pages', async () => {
  for (const path of ['../package.json', '..%2fpackage.json', '%2e%2e/src/main.ts', '.hidden', '']) {
    expect((await fetch(`${gateway.url}/pages/${path}`)).status).toBe(404);
  }
});
