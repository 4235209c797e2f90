import { unwrap } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { deploySlowly } from '../setup/slow-deployment.ts';
import type { Grounds } from './grounds/grounds.ts';
import { startHoldingProxy } from './grounds/holding-proxy.ts';
import { createBerth } from './grounds/run-berth.ts';

const where = ['-e', 'clients'];

/** Ctrl-C while a command follows its tasks. */
export function testInterruptedTasks(grounds: () => Grounds): void {
  describe('berth --wait, interrupted', () => {
    test('a task is waited for, cancelled by Ctrl-C, repeated, and left running by a second Ctrl-C', async () => {
      const { platform, program, sample } = grounds();
      const { admin } = platform;
      const as = (url: string) =>
        createBerth(
          program,
          { BERTH_URL: url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: platform.adminToken },
          grounds().written,
        );
      const berth = as(platform.stack.url);
      const slow = await deploySlowly(platform.stack, admin, sample, 'slow');
      const again = ['deploy', 'slow', ...where, '--chart', 'HelloWeb@1.0.0-slow.1', '--wait'];
      const retry = ['retry', 'slow', ...where, '--wait'];

      expect(await berth(['wait', 'slow', ...where, '--timeout', '1s'])).toMatchObject({
        code: 4,
        err: expect.stringContaining(`--timeout, and goes on: berth logs ${slow.taskId} -f`),
      });
      const signs = (...awaited: string[]) => ({
        onOutput: (sofar: string, interrupt: () => void) => {
          if (!sofar.includes(awaited[0] ?? 'never')) return;
          awaited.shift();
          interrupt();
        },
      });
      // The task may be of somebody else: the repeated deploy queued nothing.
      const left = await berth(again, signs('Ctrl-C leaves'));
      expect(left).toMatchObject({ code: 130, err: expect.stringContaining(`goes on: berth logs ${slow.taskId} -f`) });
      expect(await slow.task()).toMatchObject({ status: 'Started' });
      expect(await berth(retry)).toMatchObject({ code: 3 });
      expect(await berth(['cancel', slow.taskId])).toMatchObject({ code: 0 });
      expect(await berth(['wait', slow.taskId])).toMatchObject({ code: 130 });
      expect(await berth(['cancel', slow.taskId])).toMatchObject({
        code: 3,
        err: expect.stringContaining('(conflict,'),
      });

      const once = await berth(retry, signs('Ctrl-C cancels'));
      expect(once).toMatchObject({ code: 130, err: expect.stringContaining('was cancelled') });
      // The second Ctrl-C comes before the cancellation arrives, which is taken back.
      const isHeld = ({ method }: { method: string }) => method === 'DELETE';
      await using holding = await startHoldingProxy(platform.stack.url, isHeld);
      const twice = await as(holding.url)(retry, signs('Ctrl-C cancels', 'once more'));
      const [, taskId = ''] = /^task\/(\S+)\n$/.exec(twice.out) ?? [];
      expect(twice).toMatchObject({ code: 130, err: expect.stringContaining(`goes on: berth logs ${taskId} -f`) });
      await expect.poll(async () => unwrap(await admin.deploymentTasks.get({ id: taskId })).status).toBe('Started');
      await slow.release();
      expect(await berth(['wait', taskId])).toMatchObject({ code: 0 });
    });
  });
}
