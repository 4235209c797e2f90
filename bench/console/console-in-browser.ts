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
import { insertManyDeployments, targetOf } from '../platform/many-deployments.ts';
import { scaled } from '../platform/scaled.ts';
import { memoryOverEvents } from './memory-over-events.ts';
import { requestsOfScreens } from './requests-of-screens.ts';
import { timesOfNavigation, timesToList } from './times-of-navigation.ts';
import { timesOfTyping } from './times-of-typing.ts';

const rows = scaled(10_000);
const events = scaled(10_000);
const changes = 20;
const lists = [
  '/',
  '/deployments',
  '/tasks',
  '/charts',
  '/clusters',
  '/envs',
  '/admin/users',
  '/admin/bots',
  '/admin/audit',
];

/** The console in a real browser: its size, the time to the list, navigation, scrolling, changes, memory, and its requests. */
export async function consoleInBrowser(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  await using db = await databaseOf(stack);
  await insertManyDeployments(db, targetOf(fixtures), { name: 'shown-', count: rows, tasksOfEach: 1 });
  await using browser = await openBrowser();
  say(`\n(c) the console with ${rows.toLocaleString()} deployments; ${loadOfMachine()}`);
  await untilQuiet(say);
  say(`    script of the first load           ${(await firstLoadBytes(stack.url)) / 1024} KB gzip (aim: 200)`);

  await using guest = await visitor({ url: stack.url, browser });
  await guest.open('/deployments');
  await guest.signIn('ada');
  const list = guest.page.getByRole('table', { name: 'Deployments' });
  await list.waitFor();
  show(say, 'first load to the list', await timesToList(guest), '1,000');
  show(say, 'navigation', await timesOfNavigation(guest), 'p95 300');
  await framesOfScrolling(guest, say);
  const id = await timesOfChanges(guest, fixtures, say);
  show(say, 'key → pixel among 100 inputs', await timesOfTyping(guest, stack, fixtures), 'p95 50');
  const counts = await requestsOfScreens(guest, [...lists, `/deployments/${id}`, `/deployments/${id}/change`]);
  say(`    requests of a screen, opened cold  ${counts.map(([path, count]) => `${path} ${count}`).join('  ')}`);
  const [before = 0, ...after] = await memoryOverEvents(guest, fixtures, events);
  say(
    `    heap                               ${before.toFixed(1)} MiB, after each half of ${events.toLocaleString()} events ${after.map((size) => `${size.toFixed(1)} MiB`).join(', ')} (aim: flat)`,
  );
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

/** How far the list moves in each frame: as its scroll bar is dragged from the beginning to the end, and as a wheel is turned fast. */
const paces = [
  ['scrolling, by the scroll bar', 900],
  ['scrolling, by a wheel', 108],
] as const;

/** The times between frames while the list is scrolled. */
async function framesOfScrolling({ page }: Visitor, say: (line: string) => void): Promise<void> {
  for (const [what, pixels] of paces) {
    await page.evaluate('scrollTo(0, 0)');
    await page.locator('[data-row-link]').first().waitFor();
    const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
      const times = []; let last = performance.now(); let step = 0;
      const next = () => {
        const now = performance.now(); times.push(now - last); last = now;
        scrollBy(0, ${pixels});
        if ((step += 1) < 300) requestAnimationFrame(next); else resolve(times);
      };
      requestAnimationFrame(next);
    })`);
    const slow = frames.filter((ms) => ms > 50).length;
    say(
      `    ${what.padEnd(34)} ${slow} of ${frames.length} frames over 50 ms, the longest ${Math.max(...frames).toFixed(0)} ms (aim: none)`,
    );
  }
  await page.evaluate('scrollTo(0, 0)');
}

/** Measured in the page: locators poll up to 0.5 s late. */
const shownAt = (text: string) => `new Promise((resolve, reject) => {
  const check = () => {
    if (!document.body.textContent.includes(${JSON.stringify(text)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => reject(new Error('it did not show within half a minute')), 30_000);
  check();
})`;

/** Returns the id of the deployment that it changed. */
async function timesOfChanges({ page }: Visitor, { api }: Fixtures, say: (line: string) => void): Promise<string> {
  const [row] = unwrap(await api.deployments.list({ query: { name: 'shown-1', sort: 'name', per_page: 1 } })).items;
  const id = row?.id ?? '';
  await page.goto(new URL(`/deployments/${id}`, page.url()).href);
  const times: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const words = `Changed for the ${change + 1}. time`;
    const shown = page.evaluate<number>(shownAt(words));
    unwrap(await api.deployments.update({ id, body: { description_md: words } }));
    const answered = Date.now();
    times.push(Math.max(0, (await shown) - answered));
    // The console gathers changes, so each follows a pause.
    await pause(500);
  }
  show(say, 'change answered → pixel', times, 'p95 500');
  return id;
}
