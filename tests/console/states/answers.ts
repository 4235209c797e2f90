import type { Page, Route } from 'playwright-core';

export const refusal = { detail: 'The disk of the database is full', requestId: 'request-of-the-journey' };

const problem = {
  type: 'about:blank',
  title: 'Internal error',
  status: 500,
  code: 'internal',
  detail: refusal.detail,
  message: refusal.detail,
  request_id: refusal.requestId,
};

const fail = (route: Route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/problem+json',
    headers: { 'x-request-id': refusal.requestId },
    body: JSON.stringify(problem),
  });

/** Lets the reads of a page wait or fail, except those of the identity and of events. */
export async function answersOf(page: Page) {
  let held: Route[] = [];
  let mode: 'open' | 'held' | 'failing' = 'open';
  await page.route('**/api/v2/**', async (route) => {
    const isRead = route.request().method() === 'GET' && !/\/(?:auth\/me|events)\b/.test(route.request().url());
    if (mode === 'held' && isRead) held.push(route);
    else if (mode === 'failing' && isRead) await fail(route);
    else await route.continue();
  });
  return {
    hold: () => void (mode = 'held'),
    async fail() {
      mode = 'failing';
      const waiting = held;
      held = [];
      await Promise.all(waiting.map(fail));
    },
    open: () => void (mode = 'open'),
  };
}
