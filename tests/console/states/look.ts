import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { violationsOf } from '../browser/check-accessibility.ts';
import { pictureOf, usualWidth, widths } from './screens.ts';

type Theme = 'dark' | 'light';
type State = 'ready' | 'loading' | 'error' | 'stale' | 'empty' | 'forbidden';

/** Takes pictures of a page in both themes without reloading it, and returns what axe finds. */
export type Look = (path: string, state?: State | `dialog-${string}`) => Promise<string[]>;

const rail = '.rail';

/** What was checked: the rail is the same on most screens, and many tabs look the same while they are read, or after that failed. */
const known = new Set<string>();

/** Attributes with ids that differ on each page. */
const generated = /\b(?:id|for|name|aria-(?:labelledby|describedby|controls))="[^"]*"/g;

/** Sets the width of a page, and how many pixels of the screen each of its own has. */
export const resize = (session: CDPSession, width: number, deviceScaleFactor = 1): Promise<unknown> =>
  session.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor, mobile: false });

export async function looker(page: Page): Promise<Look> {
  const session = await page.context().newCDPSession(page);
  let shown: Theme = 'light';
  const show = async (theme: Theme) => {
    if (theme !== shown) await page.emulateMedia({ colorScheme: theme });
    shown = theme;
  };
  /** Whether a part of the page was checked already, on this screen or another one. */
  const isKnown = async (selector: string, theme: Theme): Promise<boolean> => {
    const markup = await page.evaluate<string>(`document.querySelector('${selector}')?.outerHTML ?? ''`);
    const key = `${theme} ${markup.replaceAll(generated, '')}`;
    return known.has(key) || !known.add(key);
  };

  return async (path, state = 'ready') => {
    const found: string[] = [];
    // It begins with the theme that is shown already, since each change repaints the page.
    for (const theme of shown === 'light' ? (['light', 'dark'] as const) : (['dark', 'light'] as const)) {
      await show(theme);
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      // A menu or dialog would close if the width changed.
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
      const [isRailKnown, isMainKnown] = [await isKnown(rail, theme), await isKnown('main', theme)];
      if (isRailKnown && isMainKnown && !state.startsWith('dialog-')) continue;
      const violations = await violationsOf(page, rules, isRailKnown ? [rail] : []);
      found.push(...violations.map((violation) => `${path} ${state} ${theme}: ${violation}`));
    }
    return found;
  };
}
