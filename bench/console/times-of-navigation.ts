import type { Visitor } from '../../tests/console/browser/visitor.ts';

/**
 * The time from a press on a link of the rail to the frame that shows the screen with its rows. Measured in the page: locators poll up to
 * 0.5 s late and also time the search for the link.
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

/** The times to each screen, after a first round that loads their code. */
export async function timesOfNavigation({ page }: Visitor): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1)
    for (const place of places) {
      const ms = await page.evaluate<number>(timeTo(place));
      if (round > 0) times.push(ms);
    }
  return times;
}

/** Runs in each page from its start, and notes when the first row of a list shows. */
const noteFirstRow = `{
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[data-row-link]')) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { globalThis.firstRowAt = performance.now(); }));
  });
  observer.observe(document, { subtree: true, childList: true });
}`;

/** The times from the start of a navigation to the first rows of the list, with a warm browser cache. */
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
