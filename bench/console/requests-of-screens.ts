import { setTimeout as pause } from 'node:timers/promises';
import type { Visitor } from '../../tests/console/browser/visitor.ts';

/** The number of requests of each screen, opened without a cache, until shortly after it shows. No screen may send one per row. */
export async function requestsOfScreens({ page }: Visitor, paths: readonly string[]): Promise<[string, number][]> {
  let requests = 0;
  const count = (request: { url: () => string }) => {
    if (request.url().includes('/api/v2/')) requests += 1;
  };
  page.on('request', count);
  const counts: [string, number][] = [];
  for (const path of paths) {
    requests = 0;
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'hidden' });
    await pause(1_500);
    counts.push([path, requests]);
  }
  page.off('request', count);
  return counts;
}
