import { unwrap } from '@berth/client';
import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { answersOf, refusal } from './answers.ts';
import type { Grounds } from '../browser/grounds.ts';
import { untilLoaded, type Visitor } from '../browser/visitor.ts';
import { type Look, resize } from './look.ts';
import { screensOf, usualWidth } from './screens.ts';
import { inWindows } from './windows.ts';

/** Whether a screen is closed to somebody without roles. Lists are not: they contain what the viewer may see. */
const isClosed = (path: string): boolean => /^\/admin|^\/(?:deployments|tasks|envs|clusters)\/[0-9a-f]{8}/.test(path);

/** Screens that have no rows, on a platform that has some. */
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
  describe('every screen, without a violation of WCAG 2.2 AA in either theme,', () => {
    test('shows that it is loading, why that failed and what was read, fits 360 px and 200 % zoom, does not move with reduced motion, and shows nothing as healthy once the connection is lost', async () => {
      const screens = await screensOf(grounds());
      const found = await inWindows(grounds(), 'ada', screens, async (guest, look) => {
        const answers = await answersOf(guest.page);
        const session = await guest.page.context().newCDPSession(guest.page);
        return async (path) => [
          ...(await readingFails(guest, path, { answers, look })),
          ...(await look(path)),
          ...(await doesNotFit(guest.page, path, session)),
          ...(await connectionIsLost(guest, path, look)),
        ];
      });
      expect(found).toEqual([]);
    });

    test('tells those who may not see it which role it needs, and shows them nothing of it', async () => {
      const { platform, deployment } = grounds();
      await platform.person('grace');
      const closed = (await screensOf(grounds())).filter(isClosed);
      const found = await inWindows(grounds(), 'grace', closed, (guest, look) => async (path) => {
        await guest.open(path);
        const main = guest.page.locator('main');
        const refused = main.getByRole('alert').or(main.getByText(/ is for a site admin/));
        const facts: string[] = [];
        if (!(await appears(refused.first())))
          facts.push(`${path}: refuses nothing, but shows ${await main.innerText()}`);
        if ((await guest.page.content()).includes(deployment.namespace)) facts.push(`${path}: shows the namespace`);
        return [...facts, ...(await look(path, 'forbidden'))];
      });
      expect(found).toEqual([]);
    });

    test('says that there is nothing yet, or that nothing matches', async () => {
      const wordsAt = new Map(await emptyScreens(grounds()));
      const found = await inWindows(grounds(), 'ada', [...wordsAt.keys()], (guest, look) => async (path) => {
        const words = wordsAt.get(path) ?? '';
        await guest.show(path);
        const main = guest.page.locator('main');
        const says = await appears(main.getByText(words).first());
        const facts = says ? [] : [`${path}: does not say "${words}", but ${await main.innerText()}`];
        return [...facts, ...(await look(path, 'empty'))];
      });
      expect(found).toEqual([]);
    });
  });
}

interface ReadingFails {
  answers: Awaited<ReturnType<typeof answersOf>>;
  look: Look;
}

/** Checks a screen while its reads wait, after they failed, and after a retry. */
async function readingFails({ page, open }: Visitor, path: string, { answers, look }: ReadingFails): Promise<string[]> {
  const found: string[] = [];
  const check = (fact: string, holds: boolean) => void (holds || found.push(`${path}: ${fact}`));
  const main = page.locator('main');

  answers.hold();
  await open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const isWaiting = await appears(main.getByRole('status', { name: 'Loading' }).first());
  check('does not say that it is loading', isWaiting);
  check('says that it is empty while it is loading', (await main.locator('.empty').count()) === 0);
  found.push(...(await look(path, 'loading')));

  await answers.fail();
  check('does not say that reading failed', await appears(main.getByRole('alert').first()));
  // An event may restart the read, whose failure is shown again afterwards.
  check('does not say why reading failed', await appears(main.getByText(refusal.detail).first()));
  check('does not name the request that failed', await appears(main.getByText(refusal.requestId).first()));
  check('says that it is empty where reading failed', (await main.locator('.empty').count()) === 0);
  found.push(...(await look(path, 'error')));

  answers.open();
  const again = main.getByRole('button', { name: 'Try again' });
  if ((await again.count()) > 0) await again.first().click();
  await untilLoaded(page);
  check('does not recover by "Try again"', await appears(main.getByText(refusal.detail).first(), 'hidden'));
  return found;
}

/** Checks a screen at 360 px, and at 200 % zoom of 1280 px, which leaves 640. */
async function doesNotFit(page: Page, path: string, session: CDPSession): Promise<string[]> {
  const found: string[] = [];
  for (const [width, scale] of [
    [360, 1],
    [640, 2],
  ] as const) {
    await resize(session, width, scale);
    const [wide = 0, moving = 0] = await page.evaluate<number[]>(
      `[document.documentElement.scrollWidth, document.getAnimations().filter(({ effect }) =>
        effect.getComputedTiming().duration > 1).length]`,
    );
    if (wide > width) found.push(`${path} is ${wide} px wide at ${width} px`);
    if (moving > 0) found.push(`${path} moves at ${width} px`);
  }
  await resize(session, usualWidth);
  return found;
}

/** Checks a screen once the connection is lost. */
async function connectionIsLost({ page, context }: Visitor, path: string, look: Look): Promise<string[]> {
  await context.setOffline(true);
  await page.getByText(/^Reconnecting\. What you see is as of/).waitFor();
  const isWell = (await page.locator('main .state.ok').count()) > 0;
  const found = [...(isWell ? [`${path}: shows something as well`] : []), ...(await look(path, 'stale'))];
  await context.setOffline(false);
  return found;
}

type Located = ReturnType<Page['locator']>;

/** Whether something appears or disappears in time. */
const appears = (what: Located, state: 'visible' | 'hidden' = 'visible'): Promise<boolean> =>
  what.waitFor({ state }).then(
    () => true,
    () => false,
  );
