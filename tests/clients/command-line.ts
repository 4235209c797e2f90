import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, unwrap } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';
import { startHookedProxy } from './grounds/hooked-proxy.ts';
import { createBerth, createBerthProcess } from './grounds/run-berth.ts';

const where = ['-e', 'clients'];
const chart = ['--chart', 'HelloWeb@1.0.0'];
const missing = '11111111-1111-4111-8111-111111111111';

export function testCommandLine(grounds: () => Grounds): void {
  describe('berth', () => {
    /** All that any command has written. */
    const written: string[] = [];
    let berth: ReturnType<typeof createBerth>;
    /** Without a context and without a token. */
    let alone: ReturnType<typeof createBerth>;
    let asGrace: ReturnType<typeof createBerth>;
    let admin: Client;
    let folder: string;

    beforeAll(async () => {
      const { platform, program } = grounds();
      folder = grounds().folder;
      admin = platform.admin;
      const address = { BERTH_URL: platform.stack.url, BERTH_CONFIG: join(folder, 'none.json') };
      berth = createBerth(program, { ...address, BERTH_TOKEN: platform.adminToken }, written);
      alone = createBerth(program, { XDG_CONFIG_HOME: join(folder, 'config') }, written);
      const grace = await platform.person('grace');
      asGrace = createBerth(program, { ...address, BERTH_TOKEN: grace.session }, written);
    });

    test('login keeps a token in a file of its owner alone, once the platform knows it', async () => {
      const { adminToken, stack } = grounds().platform;
      const file = join(folder, 'config/berth/contexts.json');
      const login = (input: string) => alone(['login', stack.url, '--with-token', '--name', 'test'], { input });

      expect(await alone(['get', 'envs'])).toMatchObject({ code: 2, err: expect.stringContaining('berth login') });
      expect(await login('')).toMatchObject({ code: 2, err: expect.stringContaining('no token') });
      expect(await login(`${missing}.wrong`)).toMatchObject({ code: 3 });
      await expect(stat(file)).rejects.toThrow(/ENOENT/);

      expect(await login(`${adminToken}\n`)).toMatchObject({
        code: 0,
        err: expect.stringContaining('ada@example.test'),
      });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await alone(['get', 'envs', '-o', 'name'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('env/clients\n'),
      });
      const who = await alone(['whoami']);
      expect(who.out.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID').split('\n')).toEqual([
        `platform: ${stack.url}`,
        'identity: user ada@example.test, site admin',
        'credential: token ID',
        'from: context test',
        '',
      ]);
      expect(await alone(['context', 'list'])).toMatchObject({ out: expect.stringMatching(/\* +test +http/) });
      expect(await alone(['context', 'use', 'other'])).toMatchObject({ code: 3, err: expect.stringContaining('test') });
      expect(await alone(['context', 'delete', 'test'])).toMatchObject({ code: 0 });
      expect(await readFile(file, 'utf8')).not.toContain(adminToken);
    });

    test('deploy plans, creates, repeats without effect and changes, with the log of each task', async () => {
      const values = join(folder, 'values.yaml');
      await writeFile(values, 'greeting: from a file\nreplicas: 1\n');
      const deploy = ['deploy', 'web', ...where, ...chart];
      const inputs = ['-f', values, '--set', 'replicas=2'];

      const planned = await berth([...deploy, ...inputs, '--plan']);
      expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(/\+ create +Deployment/) });
      expect(await berth(['get', 'deployment', 'web', ...where])).toMatchObject({ code: 3 });

      const created = await berth([...deploy, ...inputs, '--wait', '--key', 'build-1']);
      expect(created).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^task\//),
        err: expect.stringContaining('Done'),
      });
      const path = (of: string) => berth(['get', 'deployment', 'web', ...where, '-o', `jsonpath={${of}}`]);
      expect([await path('.config.greeting'), await path('.config.replicas')]).toMatchObject([
        { out: 'from a file\n' },
        { out: '2\n' },
      ]);

      const repeated = await berth([...deploy, ...inputs, '--wait']);
      expect(repeated).toMatchObject({ code: 0, out: '', err: expect.stringContaining('already') });
      // Without a chart the deployment keeps its own.
      expect(await berth(['deploy', 'web', ...where, '--set', 'replicas=1', '--wait'])).toMatchObject({ code: 0 });
      expect([await path('.config.greeting'), await path('.config.replicas')]).toMatchObject([
        { out: 'from a file\n' },
        { out: '1\n' },
      ]);
      expect(await berth(['rollback', 'web', ...where, '--wait'])).toMatchObject({ code: 0 });
      expect(await path('.config.replicas')).toMatchObject({ out: '2\n' });
    });

    test.concurrent.for([
      ['a chart that is not in the catalogue', 3, ['deploy', 'w', ...where, '--chart', 'HelloWeb@9.9.9']],
      [
        'one that does not arrive in time',
        4,
        ['deploy', 'w', ...where, '--chart', 'HelloWeb@9.9.9', '--wait-for-chart', '1s'],
      ],
      ['a chart without a version', 2, ['deploy', 'w', ...where, '--chart', 'HelloWeb']],
      ['an input that the chart does not know', 3, ['deploy', 'w', ...where, ...chart, '--set', 'wrong=1']],
      ['a file that does not exist', 2, ['deploy', 'w', ...where, ...chart, '-f', '/nowhere.yaml']],
      ['an env that does not exist', 3, ['deploy', 'w', '-e', 'nowhere', ...chart]],
      ['a new deployment without a chart', 2, ['deploy', 'w', ...where]],
      ['a wait for a chart without its name', 2, ['deploy', 'w', ...where, '--wait-for-chart', '1s']],
      ['a missing flag', 2, ['deploy', 'w', ...chart]],
      ['a kind without a name', 2, ['describe', 'deployment']],
      ['an env for rows that belong to none', 2, ['describe', 'env/clients', ...where]],
      ['an unknown command', 2, ['deplo']],
      ['an unknown kind', 2, ['get', 'pancakes']],
      ['a filter that the API refuses', 2, ['get', 'deployments', '--filter', 'status=Wrong']],
      ['an unknown format', 2, ['get', 'envs', '-o', 'xml']],
      ['an id that nothing has', 3, ['get', 'task', missing]],
      ['a task that nobody has', 3, ['logs', missing]],
      ['a rollback without an earlier deploy', 3, ['rollback', 'nothing', ...where]],
      ['a kind that cannot be deleted', 2, ['delete', 'task', missing, '--yes']],
    ] as const)('refuses %s with %d', async ([, code, args]) => {
      const ran = await berth(args);

      expect(ran).toMatchObject({ code, out: '' });
      expect(ran.err).not.toMatch(/^ +at /m);
    });

    test.concurrent('a platform that is out of reach is a failure that says so', async () => {
      const nowhere = createBerth(
        grounds().program,
        { BERTH_URL: 'http://127.0.0.1:1', BERTH_TOKEN: `${missing}.x` },
        written,
      );

      expect(await nowhere(['get', 'envs'])).toMatchObject({ code: 1, err: expect.stringContaining('(unreachable,') });
    });

    test('a disabled deployment is refused, and enabled only where that is asked for', async () => {
      const id = (await berth(['get', 'deployment', 'web', ...where, '-o', 'jsonpath={.id}'])).out.trim();
      unwrap(await admin.deployments.update({ id, body: { enabled: false } }));
      const deploy = ['deploy', 'web', ...where, ...chart];

      for (const inputs of [[], ['--set', 'replicas=1'], ['--plan']])
        expect(await berth([...deploy, ...inputs])).toMatchObject({
          code: 3,
          err: expect.stringContaining('--enable'),
        });
      expect(unwrap(await admin.deployments.get({ id }))).toMatchObject({ enabled: false, config: { replicas: 2 } });
      expect(await berth([...deploy, '--enable', '--wait'])).toMatchObject({ code: 0 });
    });

    test('a lost answer to the replacement of a secret is not a failure', async () => {
      const { platform, sample } = grounds();
      const body = { env_id: sample.cluster.env_id ?? '', collection: 'lost', name: 'answer', contents: 'x' };
      unwrap(await admin.secrets.create({ body }));
      let lost = 0;
      await using lossy = await startHookedProxy(platform.stack.url, async ({ method }) => {
        if (method !== 'PUT' || lost > 0) return 'pass';
        lost += 1;
        return 'lose';
      });
      const env = { BERTH_URL: lossy.url, BERTH_TOKEN: platform.adminToken };

      const set = ['secret', 'set', 'answer', ...where, '--collection', 'lost'];
      const ran = await createBerth(grounds().program, env, written)(set, { input: 'swordfish-3' });

      expect(ran).toMatchObject({ code: 0, err: expect.stringMatching(/trying again.*replaced/s) });
      expect(lost).toBe(1);
    });

    test('secrets are written from standard input and files, and never shown', async () => {
      const set = ['secret', 'set', 'canary', ...where, '--collection', 'web'];
      const file = join(folder, 'contents');
      await writeFile(file, 'swordfish-2');

      expect(await berth(set, { input: 'swordfish-1' })).toMatchObject({
        code: 0,
        err: expect.stringContaining('stored'),
      });
      expect(await berth([...set, '--from-file', file, '--verbose'])).toMatchObject({
        code: 0,
        err: expect.stringContaining('replaced'),
      });
      expect(await berth(set, { input: '' })).toMatchObject({ code: 2, err: expect.stringContaining('was empty') });
      expect(await asGrace(set, { input: 'x' })).toMatchObject({ code: 3 });
      unwrap(
        await admin.secrets.create({
          body: { env_id: grounds().sample.cluster.env_id ?? '', collection: 'b', name: 'canary', contents: 'x' },
        }),
      );
      const ambiguous = await berth(['get', 'secret', 'canary', ...where]);
      expect(ambiguous).toMatchObject({ code: 2, err: expect.stringContaining('2 secrets are named canary') });
      expect(await berth(['get', 'secrets', ...where, '-o', 'yaml'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('collection: web'),
      });
    });

    test('rows are shown as tables with names, and as JSON', async () => {
      const listed = await berth(['get', 'deployments', ...where]);
      expect(listed.out).toMatch(/^NAME +ENV +KIND +STATUS +HEALTH +AGE\n/);
      expect(listed.out).toMatch(/^web +clients +HelloWeb +Running /m);
      const { out } = await berth(['get', 'deployment', 'web', ...where, '-o', 'json']);
      expect(JSON.parse(out)).toMatchObject({ name: 'web', config: { replicas: 2 } });
      expect(await berth(['describe', 'deployment', 'web', ...where])).toMatchObject({
        code: 0,
        out: expect.stringContaining('namespace: '),
      });
      const joined = await berth(['describe', 'deployment/web', 'deployment/web', ...where]);
      expect(joined).toMatchObject({ code: 0, err: '' });
      expect(joined.out.match(/^name: web$/gm)).toHaveLength(2);
      expect(await berth(['why', 'web', ...where])).toMatchObject({ code: 0 });
      expect(await berth(['logs', 'web', ...where])).toMatchObject({
        code: 0,
        out: expect.stringContaining('STATUS: deployed'),
      });
      expect(await berth(['get', 'tasks', '-o', 'wide', '--filter', 'status=Done'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/ web +Upgrade +Done /),
      });
    });

    test('somebody who is not allowed is refused, and a member sees what the role allows', async () => {
      const { platform, sample } = grounds();
      const { id } = await platform.person('grace');
      expect(await asGrace(['get', 'deployment', 'web', ...where])).toMatchObject({ code: 3 });
      const member = unwrap(
        await admin.envUserPermissions.create({
          body: { env_id: sample.cluster.env_id ?? '', user_id: id, role: 'User' },
        }),
      );

      expect(await asGrace(['get', 'deployment', 'web', ...where, '-o', 'name'])).toMatchObject({
        out: 'deployment/web\n',
      });
      const refused = await asGrace(['deploy', 'web', ...where, ...chart, '--set', 'replicas=1']);
      expect(refused).toMatchObject({ code: 3, err: expect.stringMatching(/\(forbidden, PUT .*, request /) });

      unwrap(await admin.envUserPermissions.delete({ id: member.id }));
      expect(await asGrace(['get', 'deployment', 'web', ...where])).toMatchObject({ code: 3 });
    });

    test('delete needs --yes', async () => {
      expect(await berth(['delete', 'deployment', 'web', ...where])).toMatchObject({
        code: 3,
        err: expect.stringContaining('--yes'),
      });
      expect(await berth(['delete', 'deployment', 'web', ...where, '--yes'])).toMatchObject({
        code: 0,
        err: expect.stringContaining('by task'),
      });
    });

    test('help names every command and the exit codes, which are those of the process', async () => {
      const asProcess = createBerthProcess(grounds().program, { BERTH_CONFIG: join(folder, 'none.json') }, written);
      const { out, code } = await asProcess(['--help']);

      expect(code).toBe(0);
      for (const wrong of [['deplo'], ['get', 'envs']])
        expect(await asProcess(wrong)).toMatchObject({ code: 2, out: '' });
      for (const name of [
        'login',
        'whoami',
        'get',
        'deploy',
        'logs',
        'wait',
        'retry',
        'restart',
        'events',
        'secret',
        'token',
        'action',
        'Exit codes',
      ])
        expect(out).toContain(name);
    });

    test('nothing that was written holds a token or the contents of a secret', () => {
      const all = written.join('\n');

      expect(written.length).toBeGreaterThan(50);
      for (const secret of ['swordfish', grounds().platform.adminToken]) expect(all).not.toContain(secret);
    });
  });
}
