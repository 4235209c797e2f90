import type { Visitor } from '../../tests/console/browser/visitor.ts';

/**
 * In the page: the time from a press on a link of the rail to the frame that shows the screen with what it reads. Locators ask again only
 * after up to half a second, and look for the link first.
 */
const timeTo = (place: string) => `new Promise((resolve, reject) => {
  const place = ${JSON.stringify(place)};
  const link = [...document.querySelectorAll('.rail a')].find(({ innerText }) => innerText.startsWith(place));
  const isShown = () => document.querySelector('h1')?.textContent === place && !document.querySelector('main .loading');
  const look = () => {
    if (!isShown()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => reject(new Error(place + ' did not show within half a minute')), 30_000);
  const pressed = performance.now();
  link.click();
  look();
})`;

const places = ['Home', 'Tasks', 'Charts', 'Clusters', 'Envs', 'Users', 'Bots', 'Audit log', 'Deployments'];

/** The times to each place, after a first round that loads what each needs. */
export async function timesOfNavigation({ page }: Visitor): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1)
    for (const place of places) {
      const ms = await page.evaluate<number>(timeTo(place));
      if (round > 0) times.push(ms);
    }
  return times;
}

/** In each page, from its very beginning: notes when the first row of a list was shown. */
const noteFirstRow = `{
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[data-row-link]')) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { globalThis.firstRowAt = performance.now(); }));
  });
  observer.observe(document, { subtree: true, childList: true });
}`;

/** The times from the start of a navigation to the first rows of the list, with the files in the cache of the browser. */
export async function timesToList({ page, context }: Visitor): Promise<number[]> {
  await context.addInitScript({ content: noteFirstRow });
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    await page.reload({ waitUntil: 'commit' });
    await page.locator('[data-row-link]').first().waitFor();
    const firstRowAt =
      'new Promise((resolve) => { const look = () => globalThis.firstRowAt ? resolve(firstRowAt) : setTimeout(look, 20); look(); })';
    times.push(await page.evaluate<number>(firstRowAt));
  }
  return times;
}
