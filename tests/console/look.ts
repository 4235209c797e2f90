import type { Page } from 'playwright-core';
import { violationsOf } from './browser/check-accessibility.ts';
import { pictureOf } from './screens.ts';

export type State = 'ready' | 'loading' | 'error' | 'stale' | 'empty' | 'forbidden';

/** Takes a picture of a state in both themes, without reading the page again, and tells what axe finds in it. */
export async function lookAt(page: Page, path: string, state: State = 'ready'): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: pictureOf(path, theme, state) });
    // Between the themes only colours differ.
    const rules = theme === 'light' ? 'all' : 'colours';
    found.push(...(await violationsOf(page, rules)).map((violation) => `${path} ${state} ${theme}: ${violation}`));
  }
  return found;
}
