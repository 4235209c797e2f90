import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { openBrowser } from '../../tests/console/browser/open-browser.ts';
import { type Visitor, visitor } from '../../tests/console/browser/visitor.ts';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { databaseOf } from '../platform/database-of.ts';
import { insertManyDeployments, placeOf } from '../platform/many-deployments.ts';
import { scaled } from '../platform/scaled.ts';

const rows = scaled(10_000);
const events = scaled(10_000);
const changes = 20;

/** The console in a real browser: its size, the time to the list, navigation, scrolling, changes, memory, and its requests. */
export async function consoleInBrowser(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  await using db = await databaseOf(stack);
  await insertManyDeployments(db, placeOf(fixtures), { name: 'shown-', count: rows, tasksOfEach: 1 });
  await using browser = await openBrowser();
  say(`\n(c) the console with ${rows.toLocaleString()} deployments; ${loadOfMachine()}`);
  await untilQuiet(say);
  say(`    script of the first load           ${(await firstLoadBytes(stack.url)) / 1024} KB gzip (aim: 200)`);

  await using guest = await visitor({ url: stack.url, browser });
  await guest.open('/deployments');
  await guest.signIn('ada');
  const list = guest.page.getByRole('table', { name: 'Deployments' });
  await list.waitFor();
  await timesToList(guest, say);
  await timesOfNavigation(guest, say);
  await framesOfScrolling(guest, say);
  await timesOfChanges(guest, fixtures, say);
  await memoryOverEvents(guest, fixtures, say);
  await requestsOfScreens(guest, say);
}

const show = (say: (line: string) => void, what: string, samples: readonly number[], aim: string) =>
  say(
    `    ${what.padEnd(34)} p50 ${quantile(samples, 0.5).toFixed(0)} ms   p95 ${quantile(samples, 0.95).toFixed(0)} ms   (aim: ${aim})`,
  );

/** The scripts that the page names, as a browser gets them. */
async function firstLoadBytes(url: string): Promise<number> {
  const html = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const scripts = [...html.matchAll(/\/console\/(assets\/[^"]+\.js)/g)].map(([, file = '']) => file);
  const built = new URL('../../services/api-gateway/console/', import.meta.url);
  const sizes = await Promise.all(
    [...new Set(scripts)].map(async (file) => gzipSync(await readFile(fileURLToPath(new URL(file, built)))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function timesToList({ page }: Visitor, say: (line: string) => void): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const started = performance.now();
    await page.reload({ waitUntil: 'commit' });
    await page.locator('[data-row-link]').first().waitFor();
    times.push(performance.now() - started);
  }
  show(say, 'first load to the list', times, '1,000');
}

async function timesOfNavigation({ page }: Visitor, say: (line: string) => void): Promise<void> {
  const times: number[] = [];
  const places = ['Home', 'Tasks', 'Charts', 'Clusters', 'Envs', 'Users', 'Bots', 'Audit log', 'Deployments'];
  for (let round = 0; round < 3; round += 1)
    for (const place of places) {
      const link = page
        .getByRole('navigation', { name: 'Places' })
        .getByRole('link', { name: new RegExp(`^${place}`) });
      const started = performance.now();
      await link.click();
      await page.getByRole('heading', { level: 1, name: place, exact: true }).waitFor();
      // Not with `waitForFunction`, which needs the eval that the policy of the page forbids.
      await page.locator('.loading').first().waitFor({ state: 'hidden' });
      if (round > 0) times.push(performance.now() - started);
    }
  show(say, 'navigation', times, 'p95 300');
}

/** The times between frames while the list is scrolled from its beginning to its end. */
async function framesOfScrolling({ page }: Visitor, say: (line: string) => void): Promise<void> {
  await page.locator('[data-row-link]').first().waitFor();
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = []; let last = performance.now(); let step = 0;
    const next = () => {
      const now = performance.now(); times.push(now - last); last = now;
      scrollBy(0, 900);
      if ((step += 1) < 300) requestAnimationFrame(next); else resolve(times);
    };
    requestAnimationFrame(next);
  })`);
  const slow = frames.filter((ms) => ms > 50).length;
  say(
    `    scrolling                          ${slow} of ${frames.length} frames over 50 ms, the longest ${Math.max(...frames).toFixed(0)} ms (aim: none)`,
  );
  await page.evaluate('scrollTo(0, 0)');
}

async function timesOfChanges({ page }: Visitor, { api }: Fixtures, say: (line: string) => void): Promise<void> {
  const [row] = unwrap(await api.deployments.list({ query: { name: 'shown-1', sort: 'name', per_page: 1 } })).items;
  const id = row?.id ?? '';
  await page.goto(new URL(`/deployments/${id}`, page.url()).href);
  const times: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const words = `Changed for the ${change + 1}. time`;
    unwrap(await api.deployments.update({ id, body: { description_md: words } }));
    const started = performance.now();
    await page.getByText(words).waitFor();
    times.push(performance.now() - started);
  }
  show(say, 'change answered → pixel', times, 'p95 500');
}

async function memoryOverEvents({ page }: Visitor, { api }: Fixtures, say: (line: string) => void): Promise<void> {
  await page.goto(new URL('/deployments', page.url()).href);
  await page.locator('[data-row-link]').first().waitFor();
  const session = await page.context().newCDPSession(page);
  const heap = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / 1024 / 1024;
  };
  await pause(2_000);
  const before = await heap();
  const bot = unwrap(await api.bots.create({ body: { display_name: 'events' } }));
  for (let event = 0; event < events; event += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        api.bots.update({ id: bot.id, body: { display_name: `events ${event + index}` } }),
      ),
    );
  await pause(2_000);
  say(
    `    heap                               ${before.toFixed(1)} MiB, after ${events.toLocaleString()} events ${(await heap()).toFixed(1)} MiB`,
  );
}

/** How many requests each screen makes. None may make one for each of its rows. */
async function requestsOfScreens({ page }: Visitor, say: (line: string) => void): Promise<void> {
  let requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v2/')) requests.push(request.url());
  });
  const counts: string[] = [];
  for (const path of ['/', '/deployments', '/tasks', '/charts', '/clusters', '/envs', '/admin/users', '/admin/audit']) {
    requests = [];
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await pause(1_500);
    counts.push(`${path} ${requests.length}`);
  }
  say(`    requests of a screen, opened cold  ${counts.join('  ')}`);
}
