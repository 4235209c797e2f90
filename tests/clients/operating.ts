import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds.ts';
import { createBerth } from './run-berth.ts';

const where = ['-e', 'clients'];

/** Restarts and events. */
export function testOperating(grounds: () => Grounds): void {
  describe('berth, for who operates', () => {
    let url: string;
    let berth: ReturnType<typeof createBerth>;
    const as = (token: string) =>
      createBerth(grounds().program, { BERTH_URL: url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: token }, []);

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

    test('restart replaces the pods of all workloads or of one, and says which ones there are', async () => {
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

    test('events shows what Kubernetes reports about the objects of a deployment', async () => {
      expect(await berth(['events', 'ops', ...where])).toMatchObject({ code: 0 });
      const { out } = await berth(['events', 'ops', ...where, '-o', 'json']);
      expect(JSON.parse(out)).toBeInstanceOf(Array);
      expect(await berth(['events', 'nothing', ...where])).toMatchObject({ code: 3, out: '' });
    });
  });
}
