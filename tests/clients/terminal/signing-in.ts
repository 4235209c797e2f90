import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { signInWithHttp } from '@berth/devstack/servers/oidc-sign-in';
import { unwrap } from '@berth/client';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readTerminalSignIn } from '../../../packages/console/src/sign-in/terminal-sign-in.ts';
import type { Grounds } from '../grounds/grounds.ts';
import type { Ran } from '../grounds/ran.ts';
import { createBerth } from '../grounds/run-berth.ts';

/** `berth login`, with the test in the place of the browser. */
export function testSigningIn(grounds: () => Grounds): void {
  describe('berth login', () => {
    let url: string;
    let opened: string;
    let config: string;
    let berth: ReturnType<typeof createBerth>;

    beforeAll(async () => {
      const { folder, platform, program } = grounds();
      url = platform.stack.url;
      await platform.person('grace');
      [opened, config] = [join(folder, 'opened'), join(folder, 'signed-in.json')];
      const browser = join(folder, 'browser.sh');
      await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`);
      await chmod(browser, 0o755);
      berth = createBerth(program, { BERTH_CONFIG: config, BROWSER: browser }, grounds().written);
    });

    /** Does what the page does with the address to which the provider has sent the browser. */
    async function pageAt(callback: string): Promise<{ confirmation: string; address?: string; code?: string } | null> {
      const read = await readTerminalSignIn(grounds().platform.anonymous, new URL(callback).searchParams);
      return read && { confirmation: read.confirmation, ...read.to };
    }

    async function openedAddress(): Promise<string> {
      const address = await vi.waitFor(() => readFile(opened, 'utf8'));
      await rm(opened);
      return address;
    }

    const redirectOf = async (address: string) =>
      (await fetch(address, { redirect: 'manual' })).headers.get('location');

    test('the browser hands the code to the terminal, and only its own, once the person has confirmed it', async () => {
      let shown = '';
      const login = berth(['login', url, '--name', 'browser'], { onOutput: (sofar) => (shown = sofar) });
      const startUrl = await openedAddress();
      const provider = (await redirectOf(startUrl)) ?? '';
      const port = Number(new URL(startUrl).port);

      // Another program of this computer has read the address in the process list.
      expect((await fetch(startUrl, { redirect: 'manual' })).status).toBe(410);
      const page = await pageAt(await signInWithHttp('grace', provider));
      expect(page?.address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\?code=`));
      expect(shown).toContain(page?.confirmation);
      // A foreign page knows the port, but not the state; or has a name of its own point here.
      const statuses = await Promise.all(
        ['/?code=theirs&state=guess', '/?code=theirs', '/', '/favicon.ico'].map(
          async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
        ),
      );
      expect(statuses).toEqual([400, 400, 404, 404]);
      const { pathname, search } = new URL(page?.address ?? '');
      expect(await statusAs('evil.test', port, pathname + search)).toBe(404);

      expect((await fetch(page?.address ?? '')).status).toBe(200);
      const ran = await login;
      expect(ran).toMatchObject({ code: 0, out: '', err: expect.stringContaining('as user grace@example.test') });
      await expect(fetch(page?.address ?? '')).rejects.toThrow(/fetch failed/);

      expect((await stat(config)).mode & 0o777).toBe(0o600);
      expect(await berth(['get', 'envs'])).toMatchObject({ code: 0 });
      const { contexts }: { contexts: Record<string, { token: string }> } = JSON.parse(await readFile(config, 'utf8'));
      const { token = 'none' } = contexts['browser'] ?? {};
      expect(token.split('.')).toHaveLength(3);
      expect(grounds().written.join('\n')).not.toContain(token);
    });

    test('without a browser the person brings the code, and one of another sign-in is refused', async () => {
      let first = '';
      const attempt = (codeOf: (address: string) => Promise<string>): Promise<Ran> =>
        berth(['login', url, '--no-browser', '--name', 'elsewhere'], {
          isTyped: true,
          onOutput: atPrompt(async (sofar, enter) => {
            const [, address = ''] = /(http\S+)/.exec(sofar) ?? [];
            enter(await codeOf(address));
          }),
        });

      const ran = await attempt(async (address) => {
        const page = await pageAt(await signInWithHttp('grace', address));
        expect(page).toMatchObject({ confirmation: expect.stringMatching(/^\w{4}-\w{4}$/), code: expect.any(String) });
        return (first = page?.code ?? '');
      });
      expect(ran).toMatchObject({ code: 0, out: '', err: expect.stringContaining('grace@example.test') });
      const again = await attempt(async () => first);
      expect(again).toMatchObject({ code: 2, err: expect.stringContaining('start again') });
      expect(await attempt(async () => 'code=mine')).toMatchObject({ code: 2 });
    });

    test('a sign-in that a foreign page starts reaches no port without confirmation, and a leaked code is worth nothing', async () => {
      const { anonymous } = grounds().platform;
      const challenge = 'a'.repeat(43);
      const theirs = unwrap(await anonymous.logins.start({ query: { challenge, hand_to: '127.0.0.1:1024' } }));

      // The provider knows the person already and asks nothing: the page is the only place where anybody confirms.
      const page = await pageAt(await signInWithHttp('grace', theirs.redirect_url));
      expect(page?.confirmation).toBe(theirs.confirmation);
      const given = new URL(page?.address ?? '').searchParams;
      const iss = given.get('iss');
      const body = {
        auth_code: given.get('code') ?? '',
        state: given.get('state') ?? '',
        ...(iss !== null && { iss }),
      };
      for (const stolen of [body, { ...body, verifier: 'b'.repeat(43) }]) {
        const answer = await anonymous.logins.finish({ body: stolen });
        expect(answer).toMatchObject({ ok: false, problem: { code: 'invalid_login' } });
      }
      expect(await pageAt(`${url}/auth/idp/callback?${given.toString()}`)).toBeNull();
    });

    test('Ctrl-C ends the wait for the browser, and nothing is kept', async () => {
      const before = await readFile(config, 'utf8');
      const ran = await berth(['login', url, '--name', 'never'], {
        onOutput: (sofar, interrupt) => sofar.includes('confirm it only') && interrupt(),
      });

      expect(ran).toMatchObject({ code: 130, out: '' });
      expect(await readFile(config, 'utf8')).toBe(before);
    });

    test('contexts are listed, used, renamed and forgotten as those of kubectl', async () => {
      expect(await berth(['context', 'current'])).toMatchObject({ code: 0, out: 'elsewhere\n' });
      expect(await berth(['context', 'use', 'browser'])).toMatchObject({ code: 0 });
      expect(await berth(['context', 'rename', 'browser', 'elsewhere'])).toMatchObject({ code: 3 });
      expect(await berth(['context', 'rename', 'browser', 'home'])).toMatchObject({ code: 0 });
      expect(await berth(['context', 'current'])).toMatchObject({ out: 'home\n' });
      expect(await berth(['get', 'envs', '--context', 'elsewhere', '-o', 'name'])).toMatchObject({ code: 0 });
      expect(await berth(['get', 'envs', '--context', 'gone'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('home'),
      });
      expect(await berth(['context', 'delete', 'home'])).toMatchObject({ code: 0 });
      expect(await berth(['context', 'current'])).toMatchObject({ code: 3 });
    });
  });
}

/** Calls `act` once, when the output has the prompt. */
function atPrompt(act: (sofar: string, enter: (line: string) => void) => Promise<void>) {
  let isDone = false;
  return (sofar: string, _interrupt: () => void, enter: (line: string) => void): void => {
    if (isDone || !sofar.includes('paste the code')) return;
    isDone = true;
    void act(sofar, enter);
  };
}

async function statusAs(host: string, port: number, path: string): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}
