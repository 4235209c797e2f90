import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from '../grounds/grounds.ts';
import { createBerth, createBerthProcess } from '../grounds/run-berth.ts';
import { runHere } from '../grounds/run-here.ts';
import { json, startStubPlatform } from './stub-platform.ts';

const run = promisify(execFile);
const id = '11111111-1111-4111-8111-111111111111';
const envs = { items: [{ id, name: 'prod', created_at: '2026-01-01T00:00:00.000Z' }], next: null };
const escape = '\u001b';

/** How berth behaves in terminals, pipes and shells, and with platforms that disappear or are newer. */
export function testFeeling(grounds: () => Grounds): void {
  describe('berth, in terminals and pipes', () => {
    let env: Record<string, string>;
    let berth: ReturnType<typeof createBerth>;
    const where = ['-e', 'clients'];

    beforeAll(() => {
      const { platform, program } = grounds();
      env = { BERTH_URL: platform.stack.url, BERTH_TOKEN: platform.adminToken, BERTH_CONFIG: '/nowhere.json' };
      berth = createBerthProcess(program, env, grounds().written);
    });
    const against = (url: string) =>
      createBerth(grounds().program, { BERTH_URL: url, BERTH_TOKEN: 'a.b' }, grounds().written);

    test('tables are coloured on a terminal only, and not with NO_COLOR', async () => {
      const list = ['get', 'tasks', ...where];
      const coloured = await runHere(list, { env, columns: 200 });
      expect(coloured.out).toContain(`${escape}[1mID`);
      expect(coloured.out).toContain(`${escape}[32mDone`);
      for (const plain of [
        await runHere(list, { env: { ...env, NO_COLOR: '1' } }),
        await runHere(list, { env, isTerminal: false }),
        await berth(list),
      ]) {
        expect(plain.out).toContain('Done');
        expect(plain.out).not.toContain(escape);
      }
    });

    test.for([[40], [60]])('no line of a table is wider than a terminal of %d columns', async ([columns = 0]) => {
      const { out } = await runHere(['get', 'tasks', ...where, '-o', 'wide'], {
        env: { ...env, NO_COLOR: '1', LANG: 'en_GB.UTF-8' },
        columns,
      });
      const lines = out.trimEnd().split('\n');

      expect(lines.length).toBeGreaterThan(1);
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
      expect(out).toContain('…');
    });

    test('with LANG=C the command line itself writes only ASCII', async () => {
      const { out } = await runHere(['get', 'tasks', ...where, '-o', 'wide'], {
        env: { ...env, NO_COLOR: '1', LANG: 'C' },
        columns: 40,
      });
      const help = await berth(['--help']);

      expect(out).toContain('...');
      // oxlint-disable-next-line no-control-regex -- it is about these
      expect(out + help.out).toMatch(/^[\x00-\x7f]+$/);
    });

    test.concurrent('progress of long work is shown on a terminal, never in a pipe or with --quiet', async () => {
      const reads = new Map<string, number>();
      // Together, the pauses before the fifth read are longer than a wait that is not shown yet.
      await using slow = await startStubPlatform((request, reply) => {
        const [, task] = /\/deployment-tasks\/([^/?]+)/.exec(request.url ?? '') ?? [];
        if (task === undefined) return json(reply, {});
        const read = (reads.get(task) ?? 0) + 1;
        reads.set(task, read);
        json(reply, { id: task, status: read < 5 ? 'Started' : 'Done', reason: null });
      });
      const given = { BERTH_URL: slow.url, BERTH_TOKEN: 'a.b', NO_COLOR: '1' };
      const [first = '', second = '', third = ''] = [1, 2, 3].map((number) => `${id.slice(0, -1)}${number}`);

      const [lasting, quiet, piped] = await Promise.all([
        runHere(['wait', first], { env: given }),
        runHere(['wait', second, '--quiet'], { env: given }),
        createBerthProcess(
          grounds().program,
          { BERTH_URL: slow.url, BERTH_TOKEN: 'a.b' },
          grounds().written,
        )(['wait', third]),
      ]);

      expect(lasting.err.replaceAll(`${escape}[K`, '')).toMatch(/\r[|/\\-] waiting for task/);
      expect(quiet).toMatchObject({ out: '', err: '' });
      expect(piped).toMatchObject({ code: 0, err: `task ${third} is done\n` });
    });

    test.concurrent('--verbose shows requests, but neither token nor contents', async () => {
      const set = ['secret', 'set', 'seen', ...where, '--collection', 'verbose', '--verbose'];
      const ran = await berth(set, { input: 'swordfish-9' });

      expect(ran).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^POST http\S+\/api\/v2\/secrets 201 \d+ ms$/m),
      });
      for (const secret of ['swordfish', grounds().platform.adminToken]) expect(ran.err).not.toContain(secret);
    });

    test.concurrent('when the platform is lost midway, the error names the request that failed', async () => {
      await using going = await startStubPlatform((request, reply) => {
        if (request.url?.includes('/envs')) json(reply, envs);
        else request.socket.destroy();
      });
      const ran = await against(going.url)(['get', 'deployments', '-e', 'prod']);

      expect(ran).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/trying again in[^]*\(unreachable, GET \/api\/v2\/deployments\)/),
      });
    });

    test.concurrent('unknown fields, kinds and codes of a newer platform are shown as they are', async () => {
      const newer = { ...envs, items: [{ ...envs.items[0], colour: { of: 'new' } }], more: true };
      await using platform = await startStubPlatform((request, reply) => {
        if (request.url?.includes('/envs')) return json(reply, newer);
        reply.writeHead(418, { 'content-type': 'application/problem+json', 'x-request-id': 'r-1' });
        reply.end(JSON.stringify({ code: 'teapot', detail: 'not now', errors: [] }));
      });
      const ask = against(platform.url);

      expect(JSON.parse((await ask(['get', 'env', 'prod', '-o', 'json'])).out)).toEqual(newer.items[0]);
      expect(await ask(['get', 'envs'])).toMatchObject({ code: 0, out: expect.stringContaining('prod') });
      expect(await ask(['get', 'users'])).toMatchObject({
        code: 1,
        err: expect.stringMatching(/418.*\n.*request r-1/),
      });
    });

    test.concurrent('the error says so if an older platform lacks an operation or the sign-in of terminals', async () => {
      await using older = await startStubPlatform((_, reply) => {
        reply.writeHead(400, { 'content-type': 'application/problem+json' });
        const error = { path: 'query.hand_to', message: 'is not known here' };
        reply.end(JSON.stringify({ code: 'invalid', detail: 'query.hand_to: is not known here', errors: [error] }));
      });

      expect(await against(older.url)(['login', older.url])).toMatchObject({
        code: 3,
        err: expect.stringContaining('--with-token'),
      });
    });

    test.concurrent('logs of several pods are told apart, and following ends with the log', async () => {
      await using pods = await startStubPlatform((request, reply) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub');
        if (pathname.endsWith('/log'))
          return void reply.end(`of ${pathname.at(-5)}\ntail ${searchParams.get('tail_lines')}\n`);
        if (pathname.endsWith('/k8s-resources')) {
          const pod = (name: string) => ({ id: `${id.slice(0, -1)}${name.at(-1)}`, name, kind: 'Pod' });
          return json(reply, { items: [pod('web-2'), pod('web-3')], next: null });
        }
        json(reply, { id, name: 'web' });
      });
      const logs = ['logs', id, '--pod'];

      expect(await against(pods.url)([...logs, '--tail', '7'])).toMatchObject({
        code: 0,
        out: '[web-2] of 2\n[web-2] tail 7\n[web-3] of 3\n[web-3] tail 7\n',
      });
      expect(await against(pods.url)([...logs, 'web-3', '-f'])).toMatchObject({
        code: 0,
        out: 'of 3\ntail null\n',
        err: 'the log has ended\n',
      });
      expect(await against(pods.url)([...logs, '-f'], { readsOnce: true })).toMatchObject({ code: 0 });
    });

    test.concurrent('completion knows commands, flags and names of rows, and does not wait for a silent platform', async () => {
      const patient = createBerth(grounds().program, { ...env, BERTH_COMPLETION_MS: '20000' }, grounds().written);
      const complete = (...words: string[]) => patient(['__complete', ...words]);

      expect((await complete('up')).out).toBe('upgrade\n');
      expect((await complete('deploy', '--wait-')).out).toBe('--wait-for-chart\n');
      expect((await complete('get', 'depl')).out).toBe('deployments\n');
      expect((await complete('get', 'env', 'cli')).out).toBe('clients\n');
      expect((await complete('get', 'deployment/op')).out).toBe('deployment/ops\n');
      expect((await complete('why', '-e', 'clients', 'op')).out).toBe('ops\n');
      await using silent = await startStubPlatform(() => undefined);
      expect(await against(silent.url)(['__complete', 'get', 'env', ''])).toMatchObject({ code: 0, out: '', err: '' });
      expect(await berth(['completion', 'tcsh'])).toMatchObject({ code: 2 });
    });

    test.concurrent('the script for bash completes by berth itself', async () => {
      const { program, folder } = grounds();
      await symlink(program, join(dirname(program), 'berth')).catch(() => undefined);
      const script = join(folder, 'completion.bash');
      await writeFile(script, (await berth(['completion', 'bash'])).out);
      const words = `COMP_WORDS=(berth get depl); COMP_CWORD=2`;

      const path = `${dirname(program)}:${dirname(process.execPath)}:${process.env['PATH']}`;
      const { stdout } = await run('bash', ['-c', `. ${script}; ${words}; _berth; echo "\${COMPREPLY[@]}"`], {
        env: { PATH: path },
      });
      expect(stdout).toBe('deployments\n');
      for (const shell of ['zsh', 'fish'])
        expect((await berth(['completion', shell])).out).toContain('berth __complete');
    });
  });
}
