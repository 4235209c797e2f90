import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { nodeWithLogs } from '../setup/workloads/node-with-logs.ts';
import { type Grounds, kubeConfigOf, visitAs } from './browser/grounds.ts';
import { sign, writeHostileCharts, writeHostileTexts } from './hostile-texts.ts';

export function testSafety(grounds: () => Grounds): void {
  test('texts of strangers are rendered as text everywhere, their links lead to websites only, and the policy of the page has nothing to refuse', async () => {
    const { platform } = grounds();
    await using node = await nodeWithLogs(platform.stack, kubeConfigOf(platform));
    const written = [writeHostileTexts(grounds(), node), writeHostileCharts(grounds())];
    const pages = (await Promise.all(written)).flat();
    await using guest = await visitAs(grounds(), 'ada', '/');
    const found: string[] = [];
    for (const path of pages) {
      await guest.show(path);
      const main = guest.page.locator('main');
      const isShown = await vi
        .waitFor(async () => expect(`${await main.innerText()} ${await valuesIn(guest.page)}`).toContain(sign))
        .then(
          () => true,
          () => false,
        );
      if (!isShown) found.push(`${path} does not show the text`);
      const links = await main.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      found.push(...links.filter((link) => !/^(?:\/|https?:)/.test(link)).map((link) => `${path} leads to ${link}`));
      if (await guest.page.evaluate(() => 'attacked' in globalThis)) found.push(`${path} ran it`);
      const made = await main.locator('img, iframe, script').count();
      if (made > 0) found.push(`${path} made ${made} elements of it`);
    }
    expect(found).toEqual([]);
    expect(guest.faults).toEqual([]);
  });

  test('every address of the console can be opened directly, and unknown addresses of the API stay errors', async () => {
    const { stack } = grounds().platform;
    const get = (path: string, accept = 'text/html,*/*;q=0.8') => fetch(`${stack.url}${path}`, { headers: { accept } });

    for (const path of [
      '/',
      '/deployments/x/history',
      '/profile/user-tokens',
      '/admin/users',
      '/admin/bots',
      '/no/such',
    ]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-security-policy')).not.toMatch(/unsafe/);
    }
    for (const path of ['/api/v2/nothing', '/api', '/auth/other', '/.well-known/other', '/console/other']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await get('/deployments', 'application/json')).status).toBe(404);
  });
}

/** The texts in the inputs and editors of a page. */
const valuesIn = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('main input'), ...[...document.querySelectorAll('main .code-editor')]
    .map(({ shadowRoot }) => shadowRoot.querySelector('.cm-content'))]
    .map((at) => at?.value ?? at?.innerText ?? '').join(' ')`);
