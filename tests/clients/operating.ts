import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';
import { fixtureChart } from '../setup/charts/fixture-chart.ts';
import { startEndlessLog } from './grounds/endless-log.ts';
import { createBerth } from './grounds/run-berth.ts';

const where = ['-e', 'clients'];

const callable = '1.3.0-callable.1';

/** The sample chart with an ingress, through which its action is called. */
async function publishCallable(stack: Stack): Promise<void> {
  const read = (file: string) => readFile(join(sampleChart.folder, file), 'utf8');
  const manifest = (await read('Chart.yaml')).replace(/^version: .*$/m, `version: ${callable}`);
  const features = `${await read('berth/features.yaml')}  ingress: { enabled: true, hostname_format: Name }\n`;
  await using chart = await fixtureChart({
    name: sampleChart.name,
    base: sampleChart.folder,
    files: { 'Chart.yaml': manifest, 'berth/features.yaml': features },
  });
  await pushChart({ ...stack, folder: chart.folder, signal: AbortSignal.timeout(60_000) });
}

/** Restarts, events, logs of pods and tokens. */
export function testOperating(grounds: () => Grounds): void {
  describe('berth, for operators', () => {
    let url: string;
    let berth: ReturnType<typeof createBerth>;
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
      const deploy = [
        'deploy',
        'ops',
        ...where,
        '--chart',
        'HelloWeb@1.0.0',
        '--wait',
        '--set',
        'greeting=Hi',
        '--set',
        'replicas=1',
      ];
      expect(await berth(deploy)).toMatchObject({ code: 0 });
    });

    test('restart replaces the pods of one workload or of all, and names the workloads', async () => {
      const all = await berth(['restart', 'ops', ...where, '--wait']);
      expect(all).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^task\//),
        err: expect.stringContaining('Done'),
      });

      const unknown = await berth(['restart', 'ops', ...where, 'Deployment/other']);
      expect(unknown).toMatchObject({ code: 3, err: expect.stringMatching(/known are: Deployment\//) });
      const [, one = ''] = /known are: (\S+?),?\s/.exec(unknown.err) ?? [];
      expect(await berth(['restart', 'ops', ...where, one.toLowerCase()])).toMatchObject({ code: 0 });
      const stranger = as((await grounds().platform.person('linus')).session);
      expect(await stranger(['restart', 'ops', ...where])).toMatchObject({ code: 3, out: '' });
    });

    test('an action is called with its inputs, and the command fails if the action fails', async () => {
      const { platform, sample } = grounds();
      const ingress_domain = 'default.svc';
      unwrap(await platform.admin.k8sClusters.update({ id: sample.cluster.id, body: { ingress_domain } }));
      await publishCallable(platform.stack);
      const deploy = [
        'deploy',
        'ops',
        ...where,
        '--chart',
        `HelloWeb@${callable}`,
        '--wait-for-chart',
        '60s',
        '--wait',
      ];
      expect(await berth(deploy)).toMatchObject({ code: 0 });

      const unknown = await berth(['action', 'ops', ...where, 'sing']);
      expect(unknown).toMatchObject({ code: 3, out: '', err: expect.stringContaining('action_id') });
      // The server there has no certificate for the hostname of this deployment.
      const called = await berth(['action', 'ops', ...where, 'say', '--set', 'words=Good evening', '--wait']);
      expect(called).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^task\//),
        err: expect.stringContaining('failed:'),
      });
    });

    test('an action that succeeds has reached its workload with the inputs', async () => {
      const inputs = ['--set', 'greeting=Hi', '--set', 'replicas=1', '--wait'];
      const deploy = ['deploy', 'kubernetes', ...where, '--chart', `HelloWeb@${callable}`, ...inputs];
      expect(await berth(deploy)).toMatchObject({ code: 0 });

      const called = await berth(['action', 'kubernetes', ...where, 'say', '--set', 'words=Good evening', '--wait']);

      expect(called).toMatchObject({ code: 0, out: expect.stringMatching(/^task\//) });
      expect(grounds().workload.bodies.map((body): unknown => JSON.parse(body))).toEqual([{ words: 'Good evening' }]);
    });

    test('following a log ends when its reader closes the pipe', async () => {
      await using endless = await startEndlessLog();
      const follow = createBerth(grounds().program, { BERTH_URL: endless.url, BERTH_TOKEN: 'a.b' }, grounds().written);

      const ran = await follow(['logs', '11111111-1111-4111-8111-111111111111', '-f'], { readsOnce: true });

      expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('line'), err: '' });
    });

    test('events shows what Kubernetes reports about the objects of a deployment', async () => {
      expect(await berth(['events', 'ops', ...where])).toMatchObject({ code: 0 });
      const { out } = await berth(['events', 'ops', ...where, '-o', 'json']);
      expect(JSON.parse(out)).toBeInstanceOf(Array);
      expect(await berth(['events', 'nothing', ...where])).toMatchObject({ code: 3, out: '' });
    });

    test('a token is created, used, listed without its value and revoked, by its id if several have the same name', async () => {
      const created = await berth(['token', 'create', 'laptop', '--expires', '2h']);
      expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+\.\S+\n$/) });
      const token = created.out.trim();
      const [, secret = 'none'] = token.split('.');
      expect(created.err).not.toContain(secret);
      const holder = as(token);
      expect(await holder(['get', 'envs', '-o', 'name'])).toMatchObject({ code: 0 });

      const own: { id: string; name: string }[] = JSON.parse((await berth(['token', 'list', '-o', 'json'])).out);
      const { id = '' } = own.find(({ name }) => name === 'laptop') ?? {};
      await berth(['token', 'create', 'laptop']);
      const ambiguous = await berth(['token', 'revoke', 'laptop']);
      expect(ambiguous).toMatchObject({ code: 2, err: expect.stringContaining(id) });
      const listed = await berth(['token', 'list', '-o', 'yaml']);
      expect(listed.out).toContain('laptop');
      expect(listed.out).not.toContain(secret);

      expect(await berth(['token', 'revoke', id])).toMatchObject({ code: 0 });
      expect(await holder(['get', 'envs'])).toMatchObject({ code: 3, err: expect.stringContaining('Sign in again') });
      expect(await berth(['token', 'revoke', 'token/laptop'])).toMatchObject({ code: 0 });
      expect(await berth(['token', 'revoke', 'laptop'])).toMatchObject({ code: 3 });
      expect(await berth(['token', 'list', '--bot', 'nobody'])).toMatchObject({ code: 3 });
    });
  });
}
