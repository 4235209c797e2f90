import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, unwrap } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentText as doc } from './grounds/document-text.ts';
import type { Grounds } from './grounds/grounds.ts';
import { type Hook, startHookedProxy } from './grounds/hooked-proxy.ts';
import type { Ran } from './grounds/ran.ts';
import { createBerth } from './grounds/run-berth.ts';

/** Interruptions between the rows of a set. */
export function testInterruptedSets(grounds: () => Grounds): void {
  describe('berth apply, interrupted', () => {
    const written: string[] = [];
    let admin: Client;
    let berth: ReturnType<typeof createBerth>;
    const as = (token: string, url: string) =>
      createBerth(grounds().program, { BERTH_URL: url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: token }, written);
    const nothingToDo = { code: 0, out: '', err: expect.stringMatching(/^nothing to do: /) };

    beforeAll(() => {
      const { platform } = grounds();
      admin = platform.admin;
      berth = as(platform.adminToken, platform.stack.url);
    });

    /** Applies envs through a proxy that interferes after the first creation. */
    async function applyThrough(
      name: string,
      hook: (asked: Parameters<Hook>[0], interrupted: Promise<void>) => ReturnType<Hook>,
      given: { token?: string; interrupt?: true } = {},
    ): Promise<{ ran: Ran; folder: string }> {
      const { platform, folder } = grounds();
      const made = join(folder, name);
      await mkdir(made);
      const envs = [1, 2, 3].map((number) => doc(`kind: Env\nname: ${name}-${number}`));
      await writeFile(join(made, 'envs.yaml'), envs.join('---\n'));
      let tellInterrupted = (): void => undefined;
      const interrupted = new Promise<void>((resolve) => (tellInterrupted = resolve));
      await using proxy = await startHookedProxy(platform.stack.url, (asked) => hook(asked, interrupted));
      const through = as(given.token ?? platform.adminToken, proxy.url);
      let isInterrupted = false;
      const ran = await through(['apply', '-f', made, '--yes', '--patience', '1s'], {
        onOutput(sofar, interrupt) {
          if (sofar.includes('stopping after this row')) tellInterrupted();
          if (!given.interrupt || isInterrupted || !sofar.includes('created Env')) return;
          isInterrupted = true;
          interrupt();
        },
      });
      return { ran, folder: made };
    }
    const finishes = async (folder: string, rows: number) => {
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject({
        code: 0,
        err: expect.stringContaining(`${rows} created`),
      });
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject(nothingToDo);
    };

    test.concurrent('after losing the platform midway, the table shows which rows are done, and the same command does the rest', async () => {
      const { ran, folder } = await applyThrough('gone', async ({ method, path }) => {
        return method === 'POST' && path.includes('envs') ? 'drop' : 'pass';
      });

      // The first answer was lost, though the env is there.
      expect(ran.code).toBe(1);
      expect(ran.out).toMatch(/failed +Env\/gone-1[^]*not done +Env\/gone-2[^]*not done +Env\/gone-3/);
      expect(ran.err).toContain('(unreachable, POST /api/v2/envs');
      await finishes(folder, 2);
    });

    test.concurrent('a token that is revoked midway ends the command, which shows which rows are done', async () => {
      const created = unwrap(await admin.userTokens.create({ body: { user_id: null, name: 'middle' } }));
      const { items } = unwrap(await admin.userTokens.list({ query: { per_page: 100 } }));
      const id = items.find(({ name }) => name === 'middle')?.id ?? '';
      const { ran, folder } = await applyThrough(
        'revoked',
        async ({ method }) => {
          if (method === 'POST') await admin.userTokens.delete({ id });
          return 'pass';
        },
        { token: created.created_token },
      );

      expect(ran.code).toBe(3);
      expect(ran.out).toMatch(/created +Env\/revoked-1[^]*failed +Env\/revoked-2[^]*not done +Env\/revoked-3/);
      expect(ran.err).toContain('Sign in again');
      await finishes(folder, 2);
    });

    test.concurrent('Ctrl-C ends the command after the current row', async () => {
      let creations = 0;
      const { ran, folder } = await applyThrough(
        'stopped',
        async ({ method }, interrupted) => {
          if (method === 'POST') creations += 1;
          // The interrupt arrives while the second one is under way.
          if (creations === 2) await interrupted;
          return 'pass';
        },
        { interrupt: true },
      );

      expect(ran).toMatchObject({ code: 130, err: expect.stringContaining('stopping after this row') });
      expect(ran.out).toMatch(/created +Env\/stopped-1[^]*created +Env\/stopped-2[^]*not done +Env\/stopped-3/);
      await finishes(folder, 1);
    });

    /** Applies a change of one env through a proxy. */
    async function changeThrough(name: string, hook: Hook): Promise<{ ran: Ran; id: string; folder: string }> {
      const { platform, folder } = grounds();
      const made = join(folder, name);
      await mkdir(made);
      const { id } = unwrap(await admin.envs.create({ body: { name } }));
      await writeFile(join(made, 'env.yaml'), doc(`kind: Env\nname: ${name}\nnode_selector: { pool: big }`));
      await using proxy = await startHookedProxy(platform.stack.url, hook);
      const ran = await as(platform.adminToken, proxy.url)(['apply', '-f', made, '--yes']);
      return { ran, id, folder: made };
    }

    test.concurrent('a row that was changed after the plan is refused, and the next command plans it again', async () => {
      let isChanged = false;
      const { ran, folder } = await changeThrough('stale', async ({ method, path }) => {
        const [, id] = /^\/api\/v2\/envs\/([0-9a-f-]{36})$/.exec(path) ?? [];
        if (method !== 'GET' || id === undefined || isChanged) return 'pass';
        isChanged = true;
        unwrap(await admin.envs.update({ id, body: { tolerations: [{ operator: 'Exists' }] } }));
        return 'pass';
      });

      expect(ran).toMatchObject({
        code: 3,
        out: expect.stringMatching(/failed +Env\/stale/),
        err: expect.stringContaining('(stale,'),
      });
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject({
        code: 0,
        err: expect.stringContaining('1 changed'),
      });
    });

    test.concurrent('a change with a lost answer is made once, and does not fail', async () => {
      let changes = 0;
      const { ran, id } = await changeThrough('lost', async ({ method }) => {
        if (method !== 'PUT') return 'pass';
        changes += 1;
        return changes === 1 ? 'lose' : 'pass';
      });

      expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/changed +Env\/lost/) });
      expect(changes).toBe(2);
      expect(unwrap(await admin.envs.get({ id })).node_selector).toEqual({ pool: 'big' });
    });

    test('nothing that was written holds a token', () => {
      expect(written.length).toBeGreaterThan(15);
      expect(written.join('')).not.toContain(grounds().platform.adminToken);
    });
  });
}
