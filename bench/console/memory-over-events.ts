import { setTimeout as pause } from 'node:timers/promises';
import { unwrap } from '@berth/client';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import type { Visitor } from '../../tests/console/browser/visitor.ts';

const MiB = 1024 * 1024;
const atOnce = 50;
/** By then the page has read what the last events announced. */
const lastReadsMs = 5_000;

/** The heap of a page in MiB before the events and after each half of them. Every event changes a row that the page shows. */
export async function memoryOverEvents(visitor: Visitor, { api }: Fixtures, events: number): Promise<number[]> {
  const bot = unwrap(await api.bots.create({ body: { display_name: 'events' } }));
  // A new page, without the memory of earlier measurements.
  const page = await visitor.context.newPage();
  await page.goto(new URL('/admin/bots', visitor.page.url()).href);
  await page.getByText('events', { exact: true }).first().waitFor();
  const session = await page.context().newCDPSession(page);
  const heap = async (): Promise<number> => {
    await pause(lastReadsMs);
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / MiB;
  };
  const change = async (from: number, to: number): Promise<void> => {
    for (let event = from; event < to; event += atOnce) {
      const names = Array.from({ length: Math.min(atOnce, to - event) }, (_, index) => `events ${event + index}`);
      await Promise.all(
        names.map(async (name) => unwrap(await api.bots.update({ id: bot.id, body: { display_name: name } }))),
      );
    }
    // This change comes last, so the page has received all others once it shows.
    unwrap(await api.bots.update({ id: bot.id, body: { display_name: `events until ${to}` } }));
    await page.getByText(`events until ${to}`, { exact: true }).first().waitFor({ timeout: 120_000 });
  };

  const half = Math.ceil(events / 2);
  const sizes = [await heap()];
  await change(0, half);
  sizes.push(await heap());
  await change(half, events);
  sizes.push(await heap());
  await page.close();
  return sizes;
}
