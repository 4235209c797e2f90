import { unwrap } from '@berth/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { answersOf, refusal } from './answers.ts';
import { type Grounds, visitAs } from './browser/grounds.ts';
import { lookAt } from './look.ts';
import { screensOf } from './screens.ts';

const isLoaded = (page: Page) => expect.poll(() => page.locator('main .loading').count()).toBe(0);
const wordsOf = (page: Page) => page.locator('main').innerText();

/** What is of an env, or for site admins; lists have no more than what one may see. */
const isClosed = (path: string): boolean => /^\/admin|^\/(?:deployments|tasks|envs|clusters)\/[0-9a-f]{8}/.test(path);

/** Screens without rows, all of a platform that has others. */
async function emptyScreens({ platform: { admin } }: Grounds): Promise<[path: string, words: string][]> {
  const { id } = unwrap(await admin.envs.create({ body: { name: 'without anything' } }));
  return [
    [`/?env=${id}`, 'There are no deployments yet'],
    [`/deployments?env=${id}`, 'There are no deployments yet'],
    ['/deployments?name=no-such', 'No deployment matches these filters'],
    [`/tasks?env=${id}`, 'Nothing runs, waits or is scheduled'],
    ['/charts?branch=no-such', 'No chart matches these filters'],
    [`/clusters?env=${id}`, 'The env has no cluster'],
    [`/envs/${id}`, 'No cluster belongs to this env'],
    [`/envs/${id}/members`, 'The env has no members'],
    [`/envs/${id}/secrets`, 'There are no secrets yet'],
    [`/envs/${id}/resources`, 'No chart that is deployed here defines resources'],
    [`/envs/${id}/settings`, 'No kind acts with a ClusterRole here'],
    ['/admin/users?name=no-such', 'No user matches these filters'],
    ['/admin/bots?name=no-such', 'No bot matches this filter'],
    [`/admin/audit?object=${crypto.randomUUID()}`, 'No event matches these filters'],
  ];
}

export function testStates(grounds: () => Grounds): void {
  describe('every screen, by axe without a violation of WCAG 2.2 AA in both themes,', () => {
    test('says that it is loading, why it failed, shows what there is, fits 360 px, and shows nothing as well once the connection is lost', async () => {
      await using guest = await visitAs(grounds(), 'ada', '/');
      const { page, context } = guest;
      const answers = await answersOf(page);
      const found: string[] = [];
      const check = (path: string, fact: string, holds: boolean) => void (holds || found.push(`${path}: ${fact}`));

      for (const path of await screensOf(grounds())) {
        answers.hold();
        await guest.open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const isWaiting = await appears(page.locator('main').getByRole('status', { name: 'Loading' }).first());
        check(path, 'does not say that it is loading', isWaiting);
        check(path, 'says that it is empty while it is loading', (await page.locator('main .empty').count()) === 0);
        found.push(...(await lookAt(page, path, 'loading')));

        await answers.fail();
        const alert = page.locator('main').getByRole('alert').first();
        check(path, 'does not say that reading failed', await appears(alert));
        // An event may begin the read anew, and its failure shows again after that.
        const says = (words: string) => appears(page.locator('main').getByText(words).first());
        check(path, 'does not say why reading failed', await says(refusal.detail));
        check(path, 'does not name the request that failed', await says(refusal.requestId));
        check(path, 'says that it is empty where reading failed', (await page.locator('main .empty').count()) === 0);
        found.push(...(await lookAt(page, path, 'error')));

        answers.open();
        const again = page.locator('main').getByRole('button', { name: 'Try again' });
        if ((await again.count()) > 0) await again.first().click();
        await isLoaded(page);
        const recovers = await appears(page.locator('main').getByText(refusal.detail).first(), 'hidden');
        check(path, 'does not recover by "Try again"', recovers);
        found.push(...(await lookAt(page, path)));
        await page.setViewportSize({ width: 360, height: 900 });
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        check(path, `is ${width} px wide at 360 px`, width <= 360);
        await page.setViewportSize({ width: 1280, height: 900 });

        await context.setOffline(true);
        await page.getByText(/^Reconnecting\. What you see is as of/).waitFor();
        check(path, 'shows something as well', (await page.locator('main .state.ok').count()) === 0);
        found.push(...(await lookAt(page, path, 'stale')));
        await context.setOffline(false);
      }
      expect(found).toEqual([]);
    });

    test('says to who may not see it which role it needs, and shows nothing of it', async () => {
      const { platform, deployment } = grounds();
      await platform.person('grace');
      await using guest = await visitAs(grounds(), 'grace', '/');
      const found: string[] = [];
      for (const path of (await screensOf(grounds())).filter(isClosed)) {
        await guest.open(path);
        const main = guest.page.locator('main');
        const refusal = main
          .getByRole('alert')
          .or(main.getByText(/ is for a site admin/))
          .first();
        if (!(await appears(refusal))) found.push(`${path}: refuses nothing, but shows ${await wordsOf(guest.page)}`);
        if ((await guest.page.content()).includes(deployment.namespace)) found.push(`${path}: shows the namespace`);
        found.push(...(await lookAt(guest.page, path, 'forbidden')));
      }
      expect(found).toEqual([]);
    });

    test('says that there is nothing yet, or that nothing matches', async () => {
      await using guest = await visitAs(grounds(), 'ada', '/');
      const found: string[] = [];
      for (const [path, words] of await emptyScreens(grounds())) {
        await guest.show(path);
        if (!(await appears(guest.page.locator('main').getByText(words).first())))
          found.push(`${path}: does not say "${words}", but ${await wordsOf(guest.page)}`);
        found.push(...(await lookAt(guest.page, path, 'empty')));
      }
      expect(found).toEqual([]);
    });
  });
}

type Located = ReturnType<Page['locator']>;

/** Whether something comes, or goes, soon. */
const appears = (what: Located, state: 'visible' | 'hidden' = 'visible'): Promise<boolean> =>
  what.waitFor({ state, timeout: 5_000 }).then(
    () => true,
    () => false,
  );
