import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { violationsOf } from '../browser/check-accessibility.ts';
import { pictureOf, usualWidth, widths } from './screens.ts';

type Theme = 'dark' | 'light';
type State = 'ready' | 'loading' | 'error' | 'stale' | 'empty' | 'forbidden';

/** Takes a picture of what a page shows in both themes, without reading the page again, and tells what axe finds in it. */
export type Look = (path: string, state?: State | `dialog-${string}`) => Promise<string[]>;

const rail = '.rail';

/** Sets the width of a page, and how many pixels of the screen each of its own has. */
export const resize = (session: CDPSession, width: number, deviceScaleFactor = 1): Promise<unknown> =>
  session.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor, mobile: false });

export async function looker(page: Page): Promise<Look> {
  const session = await page.context().newCDPSession(page);
  // The rail is the same on most screens; axe needs as long for it as for all the rest.
  const known = new Set<string>();
  let shown: Theme = 'light';
  const show = async (theme: Theme) => {
    if (theme !== shown) await page.emulateMedia({ colorScheme: theme });
    shown = theme;
  };
  const isRailKnown = async (theme: Theme): Promise<boolean> => {
    const markup = theme + (await page.evaluate<string>(`document.querySelector('${rail}')?.outerHTML ?? ''`));
    const isKnown = known.has(markup);
    known.add(markup);
    return isKnown;
  };

  return async (path, state = 'ready') => {
    const found: string[] = [];
    // It begins with the theme that is shown already, since a page is painted anew for each change of it.
    for (const theme of shown === 'light' ? (['light', 'dark'] as const) : (['dark', 'light'] as const)) {
      await show(theme);
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      // What is open over a page would close in a window of another width.
      for (const width of state.startsWith('dialog-') ? [usualWidth] : widths) {
        if (width !== usualWidth) await resize(session, width);
        const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
        const file = pictureOf({ path, state, theme, width });
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, data, 'base64');
        if (width !== usualWidth) await resize(session, usualWidth);
      }
      // Between the themes only colours differ.
      const rules = theme === 'light' ? 'all' : 'colours';
      const violations = await violationsOf(page, rules, (await isRailKnown(theme)) ? [rail] : []);
      found.push(...violations.map((violation) => `${path} ${state} ${theme}: ${violation}`));
    }
    return found;
  };
}
