import { setTimeout as pause } from 'node:timers/promises';
import type { Visitor } from '../../tests/console/browser/visitor.ts';

/** How many requests a screen makes, opened cold, with all that it reads until a moment after it shows. None may make one for each row. */
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
