import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unwrap } from '@berth/client';
import { pushChart, sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixtureChart } from '../setup/charts/fixture-chart.ts';
import type { Grounds } from './grounds/grounds.ts';
import { createBerthProcess } from './grounds/run-berth.ts';

const where = ['-e', 'clients'];
const inputs = ['--set', 'greeting=Hello', '--set', 'replicas=1'];

/** The behaviour of `berth deploy` on which pipelines rely. */
export function testDeploying(grounds: () => Grounds): void {
  describe('berth deploy, for pipelines', () => {
    const written: string[] = [];
    let berth: ReturnType<typeof createBerthProcess>;
    const as = (token: string) =>
      createBerthProcess(
        grounds().program,
        { BERTH_URL: grounds().platform.stack.url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: token },
        written,
      );

    beforeAll(() => {
      berth = as(grounds().platform.adminToken);
    });

    /** The sample chart with another version and some files. */
    async function push(version: string, files: Record<string, string> = {}): Promise<void> {
      const manifest = await readFile(join(sampleChart.folder, 'Chart.yaml'), 'utf8');
      const changed = { 'Chart.yaml': manifest.replace(/^version: .*$/m, `version: ${version}`), ...files };
      await using chart = await fixtureChart({ name: sampleChart.name, base: sampleChart.folder, files: changed });
      await pushChart({ ...grounds().platform.stack, folder: chart.folder, signal: AbortSignal.timeout(60_000) });
    }

    test('a chart can be named by its digest or its version', async () => {
      const { items } = unwrap(
        await grounds().platform.admin.helmCharts.list({ query: { image_tag: '1.0.0', available: true } }),
      );
      const byDigest = ['--chart', `HelloWeb@${items[0]?.image_digest}`];

      expect(await berth(['deploy', 'digest', ...where, ...byDigest, ...inputs, '--wait'])).toMatchObject({ code: 0 });
      const repeated = await berth(['deploy', 'digest', ...where, '--chart', 'HelloWeb@1.0.0']);
      expect(repeated).toMatchObject({ code: 0, out: '', err: expect.stringContaining('already') });
    });

    test('--wait-for-chart waits for a chart that is pushed meanwhile', async () => {
      const waiting = berth([
        'deploy',
        'digest',
        ...where,
        '--chart',
        'HelloWeb@1.4.0',
        '--wait-for-chart',
        '60s',
        '--wait',
      ]);
      await push('1.4.0');

      expect(await waiting).toMatchObject({ code: 0, out: expect.stringMatching(/^task\//) });
    });

    test.concurrent('two steps with one key at the same time create one deployment', async () => {
      const step = ['deploy', 'keyed', ...where, '--chart', 'HelloWeb@1.0.0', ...inputs, '--key', 'build-7'];
      const [one, other] = await Promise.all([berth(step), berth(step)]);

      expect([one.code, other.code]).toEqual([0, 0]);
      const tasks = [one, other].map(({ out }) => out).filter((out) => out !== '');
      expect(new Set(tasks).size).toBe(1);
      expect(await berth(['wait', 'keyed', ...where])).toMatchObject({ code: 0 });
    });

    test.concurrent('a failed deploy ends with 1, the last lines of the log and the reason', async () => {
      await push('1.5.0', { 'templates/fails.yaml': '{{ fail "the moon is in the wrong phase" }}' });
      const deploy = ['deploy', 'fails', ...where, '--chart', 'HelloWeb@1.5.0', '--wait-for-chart', '60s', ...inputs];

      const failed = await berth([...deploy, '--wait']);

      expect(failed).toMatchObject({
        code: 1,
        err: expect.stringMatching(/-- Failed:[^]*berth: task \S+ failed: .*wrong phase/),
      });
      // The step is repeated: it fails as the first one did, and queues nothing.
      expect(await berth([...deploy, '--wait'])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('wrong phase'),
      });
      expect(await berth(['upgrade', 'fails', ...where, '--chart', 'HelloWeb@1.5.0', '--wait'])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('wrong phase'),
      });
    });

    test('a bot deploys with its token, until it is revoked while a task is followed', async () => {
      const { admin } = grounds().platform;
      const { id: bot_id } = unwrap(await admin.bots.create({ body: { display_name: 'deployer' } }));
      const { created_token } = unwrap(await admin.botTokens.create({ body: { bot_id, name: 'ci' } }));
      const bot = as(created_token);
      const deploy = (greeting: string) => [
        'deploy',
        'digest',
        ...where,
        '--chart',
        'HelloWeb@1.4.0',
        '--set',
        `greeting=${greeting}`,
        '--wait',
      ];

      expect(await bot(deploy('from a bot'))).toMatchObject({ code: 0 });
      expect(await bot(['deploy', 'own', ...where, '--chart', 'HelloWeb@1.4.0', ...inputs])).toMatchObject({ code: 3 });

      const { items } = unwrap(await admin.botTokens.list({ query: { bot_id } }));
      const revoked: Promise<unknown>[] = [];
      const ran = await bot(deploy('once more'), {
        onOutput(sofar) {
          if (sofar.includes('following task') && revoked.length === 0)
            revoked.push(admin.botTokens.delete({ id: items[0]?.id ?? '' }));
        },
      });
      await Promise.all(revoked);
      expect(ran).toMatchObject({
        code: 3,
        out: expect.stringMatching(/^task\//),
        err: expect.stringContaining('Sign in again'),
      });
      expect(await berth(['wait', 'digest', ...where])).toMatchObject({ code: 0 });
      expect([...written].join('')).not.toContain(created_token.split('.').at(-1));
    });
  });
}
