import { unwrap } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from '../grounds/grounds.ts';
import { createBerth } from '../grounds/run-berth.ts';

const where = ['-e', 'clients'];
const inputs = ['--set', 'greeting=Hello', '--set', 'replicas=1'];

/** The verbs of every day: create, set, diff, upgrade, tasks, audit, get --watch, and the tokens of bots. */
export function testChanging(grounds: () => Grounds): void {
  describe('berth, day by day', () => {
    let url: string;
    let berth: ReturnType<typeof createBerth>;
    let asLinus: ReturnType<typeof createBerth>;
    let linus: string;
    const as = (token: string) =>
      createBerth(
        grounds().program,
        { BERTH_URL: url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: token },
        grounds().written,
      );

    beforeAll(async () => {
      const { platform } = grounds();
      url = platform.stack.url;
      berth = as(platform.adminToken);
      asLinus = as((await platform.person('linus')).session);
      linus = 'linus@example.test';
    });

    test('rows are created and changed by name, with refusals that say what to do', async () => {
      expect(await berth(['create', 'env', 'staging'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^env\/[0-9a-f-]{36}\n$/),
      });
      expect(await berth(['create', 'env', 'staging'])).toMatchObject({
        code: 3,
        err: expect.stringContaining('(conflict, POST'),
      });
      expect(await asLinus(['create', 'env', 'mine'])).toMatchObject({
        code: 3,
        err: expect.stringContaining('(forbidden, POST'),
      });
      expect(await berth(['create', 'env', ''])).toMatchObject({ code: 2, err: expect.stringContaining('name') });

      expect(
        await berth(['set', 'env', 'staging', '--name', 'stage', '--node-selector', '{"pool":"a"}']),
      ).toMatchObject({ code: 0 });
      expect(await berth(['get', 'env', 'stage', '-o', 'jsonpath={.node_selector.pool}'])).toMatchObject({
        out: 'a\n',
      });
      expect(await berth(['set', 'env', 'stage'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--node-selector'),
      });
      expect(await berth(['set', 'env', 'stage', '--node-selector', '{'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('JSON'),
      });
      expect(await berth(['set', 'env', 'stage', '--node-selector', '{"a b":"c"}'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('node_selector'),
      });
      for (const name of ['one', 'two']) expect(await berth(['create', 'env', name])).toMatchObject({ code: 0 });
      const several = (...names: string[]) => berth(['delete', ...names, '--yes']);
      expect(await several('env/one', 'tow')).toMatchObject({ code: 3, err: expect.stringContaining('no env tow') });
      expect(await several('env/one', 'env/two')).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^deleted env one .*\ndeleted env two /),
      });
      expect(await berth(['set', 'env', 'nowhere', '--add-users'])).toMatchObject({
        code: 3,
        err: expect.stringContaining('no env nowhere'),
      });
      expect(await asLinus(['set', 'cluster', grounds().sample.cluster.name, '--ignore'])).toMatchObject({ code: 3 });
    });

    test.concurrent('members are known by their address', async () => {
      const member = ['member', linus, '-e', 'stage'];
      expect(await berth(['create', ...member, '--role', 'User'])).toMatchObject({ code: 0 });
      expect(await berth(['create', ...member, '--role', 'User'])).toMatchObject({ code: 3 });
      expect(await berth(['set', ...member, '--role', 'King'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('role'),
      });
      expect(await berth(['set', ...member, '--role', 'Admin'])).toMatchObject({ code: 0 });
      expect(await berth(['get', ...member, '-o', 'jsonpath={.role}'])).toMatchObject({ out: 'Admin\n' });
      expect(await berth(['get', 'members', '-e', 'stage'])).toMatchObject({
        out: expect.stringMatching(/linus@example\.test +stage +Admin/),
      });
      expect(await berth(['delete', ...member, '--yes'])).toMatchObject({ code: 0 });
      expect(await berth(['get', ...member])).toMatchObject({ code: 3 });
    });

    test.concurrent('a deployment is created once, planned, upgraded and changed', async () => {
      const create = ['create', 'deployment', 'verbs', ...where, '--chart', 'HelloWeb@1.0.0', ...inputs];
      expect(await asLinus(create)).toMatchObject({ code: 3, out: '' });
      expect(await berth([...create, '--wait'])).toMatchObject({ code: 0, out: expect.stringMatching(/^task\//) });
      expect(await berth(create)).toMatchObject({ code: 3, err: expect.stringContaining('(conflict,') });

      expect(await berth(['diff', 'verbs', ...where])).toMatchObject({
        code: 0,
        out: '',
        err: expect.stringContaining('nothing'),
      });
      const planned = await berth(['diff', 'verbs', ...where, '--set', 'replicas=2']);
      expect(planned).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^~ change +Deployment .*replicas/m),
        err: expect.stringContaining('would change'),
      });
      expect(await berth(['diff', 'verbs', ...where, '--set', 'unknown=2'])).toMatchObject({ code: 3, out: '' });
      expect(await berth(['diff', 'verbs', ...where, '--newest'])).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^1 task, 0 other deployments reinstalled/m),
      });
      expect(await berth(['diff', 'nothing', ...where])).toMatchObject({ code: 3 });
      expect(await berth(['get', 'deployment', 'verbs', ...where, '-o', 'jsonpath={.config.replicas}'])).toMatchObject({
        out: '1\n',
      });

      const [newest] = unwrap(await grounds().platform.admin.helmCharts.list({ query: { available: true } })).items;
      expect(await berth(['upgrade', 'verbs', ...where, '--set', 'replicas=2', '--wait'])).toMatchObject({ code: 0 });
      const path = (field: string) => berth(['get', 'deployment', 'verbs', ...where, '-o', `jsonpath={${field}}`]);
      expect([await path('.helm_chart_id'), await path('.config.replicas')]).toMatchObject([
        { out: `${newest?.id}\n` },
        { out: '2\n' },
      ]);
      expect(await berth(['upgrade', 'verbs', ...where])).toMatchObject({
        code: 0,
        out: '',
        err: expect.stringContaining('already'),
      });
      expect(await berth(['upgrade', 'verbs', ...where, '--chart', 'HelloWeb@9.9.9'])).toMatchObject({ code: 3 });
      expect(await asLinus(['upgrade', 'verbs', ...where, '--set', 'replicas=1'])).toMatchObject({ code: 3 });

      expect(await berth(['set', 'deployment', 'verbs', ...where, '--description', 'The shop'])).toMatchObject({
        code: 0,
        out: '',
      });
      expect(await path('.description_md')).toMatchObject({ out: 'The shop\n' });
      expect(await berth(['set', 'deployment', 'verbs', ...where, '--description', ''])).toMatchObject({ code: 0 });
      expect(await path('.description_md')).toMatchObject({ out: '\n' });
    });

    test.concurrent('a bot gets a token, whose id is said, and loses it', async () => {
      expect(await berth(['create', 'bot', 'robot'])).toMatchObject({ code: 0 });
      const created = await berth(['token', 'create', 'ci', '--bot', 'robot', '--expires', '1h']);
      const token = created.out.trim();
      const [, secret = ''] = token.split('.');
      const [, id = ''] = /\(([0-9a-f-]{36})\)/.exec(created.err) ?? [];
      expect(created).toMatchObject({ code: 0 });
      expect(created.err).not.toContain(secret);
      const listed: { id: string }[] = JSON.parse((await berth(['token', 'list', '--bot', 'robot', '-o', 'json'])).out);
      expect(listed.map((one) => one.id)).toEqual([id]);

      expect(await as(token)(['get', 'kinds'])).toMatchObject({ code: 0 });
      expect(await berth(['token', 'revoke', id, '--bot', 'robot'])).toMatchObject({ code: 0 });
      expect(await as(token)(['get', 'kinds'])).toMatchObject({
        code: 3,
        err: expect.stringContaining('Sign in again'),
      });
      expect(await berth(['set', 'bot', 'robot', '--no-active'])).toMatchObject({ code: 0 });
      expect(await berth(['delete', 'bot', 'robot', '--yes'])).toMatchObject({ code: 0 });
    });

    test('tasks and the audit log say what was done, and by whom', async () => {
      const tasks = await berth(['tasks', 'verbs', ...where]);
      expect(tasks).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36} +verbs +Upgrade +Done/m) });
      expect(tasks.out.trim().split('\n')).toHaveLength(3);
      expect(await berth(['tasks', 'nothing', ...where])).toMatchObject({ code: 3 });
      expect(await berth(['tasks', ...where, '--active'])).toMatchObject({ code: 0, out: '', err: 'no tasks\n' });

      const log: { operation: string; result: string }[] = JSON.parse(
        (await berth(['audit', '-e', 'stage', '-o', 'json'])).out,
      );
      expect(log.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['create', 'update', 'delete']));
      expect(JSON.parse((await berth(['audit', '--limit', '2', '-o', 'json'])).out)).toHaveLength(2);
      const denied: { result: string }[] = JSON.parse(
        (await berth(['audit', '--denied', '--user', linus, '-o', 'json'])).out,
      );
      expect(new Set(denied.map(({ result }) => result))).toEqual(new Set(['denied']));
      expect(await berth(['audit', '--limit', '0'])).toMatchObject({ code: 2 });
      expect((await berth(['audit', '-e', 'stage'])).out).toMatch(
        /^AT +ACTOR +OPERATION +OBJECT +NAME +RESULT\n(?:.*\n)*\S+ +ada@example\.test +create +envs +staging +done\n/,
      );
      const all: { id: string }[] = JSON.parse((await berth(['get', 'audit', '-o', 'json'])).out);
      expect(all.length).toBeGreaterThan(log.length);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(await asLinus(['audit'])).toMatchObject({ code: 3 });
    });

    test.concurrent('a token that is revoked in the middle of a watch ends it', async () => {
      const token = (await berth(['token', 'create', 'watching'])).out.trim();
      let revoked: Promise<unknown> | undefined;
      const watched = await as(token)(['get', 'envs', '--watch'], {
        onOutput: (sofar) => {
          if (sofar.includes('stage')) revoked ??= berth(['token', 'revoke', 'watching']);
        },
      });
      expect(await revoked).toMatchObject({ code: 0 });
      expect(watched).toMatchObject({ code: 3, err: expect.stringContaining('Sign in again') });
    });

    test.concurrent('the logs of pods are those that the cluster gives, and the flags for them need --pod', async () => {
      // The nodes of this cluster are simulated, so there are no logs.
      const unavailable = await berth(['logs', 'verbs', ...where, '--pod', '--tail', '5']);
      expect(unavailable).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/\(unavailable, GET .*\/log/) });
      expect(await berth(['logs', 'verbs', ...where, '--pod', 'other'])).toMatchObject({
        code: 3,
        err: expect.stringContaining('known are: helloweb-verbs-'),
      });
      expect(await berth(['logs', 'verbs', ...where, '--tail', '5'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--pod'),
      });
      expect(await berth(['logs', 'verbs', ...where, '--pod', '-f', '--previous'])).toMatchObject({ code: 2 });
      expect(await asLinus(['logs', 'verbs', ...where, '--pod'])).toMatchObject({ code: 3 });
    });

    test('a watch shows changed and removed rows, until Ctrl-C or the reader of the pipe ends it', async () => {
      const steps = [
        ['set', 'env', 'stage', '--name', 'later'],
        ['delete', 'env', 'later', '--yes'],
      ];
      const awaited = ['env/stage', 'env/later', 'removed: env/later'];
      const watched = await berth(['get', 'envs', '--watch', '-o', 'name'], {
        onOutput: (sofar, interrupt) => {
          if (!sofar.includes(awaited[0] ?? 'never')) return;
          awaited.shift();
          const step = steps.shift();
          if (step) void berth(step);
          else interrupt();
        },
      });
      expect(watched).toMatchObject({
        code: 130,
        out: expect.stringMatching(/env\/stage\n(?:.*\n)*env\/later\n$/),
        err: 'removed: env/later\n',
      });

      let touched: Promise<unknown> | undefined;
      const unread = await berth(['get', 'envs', '-w', '-o', 'name'], {
        readsOnce: true,
        onOutput: () => void (touched ??= berth(['create', 'env', 'unread'])),
      });
      expect(unread).toMatchObject({ code: 0, err: '' });
      expect(await touched).toMatchObject({ code: 0 });
      expect(await berth(['get', 'audit', '--watch'])).toMatchObject({ code: 2, out: '' });
    });
  });
}
