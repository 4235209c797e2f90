import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, vi } from 'vitest';

/** Somebody with a browser window, and what went wrong in it. */
export interface Visitor extends AsyncDisposable {
  context: BrowserContext;
  page: Page;
  /** Script errors, and what the policy of the page has refused. */
  faults: string[];
  /** Opens a page of the console. */
  open(path: string): Promise<void>;
  /** Opens a screen, and waits until it has read everything. */
  show(path: string): Promise<void>;
  /** Signs in as a person of the local identity provider, wherever the page asks for it. */
  signIn(name: string): Promise<void>;
}

/** In the page: logs what its policy has refused. */
const reportRefusals = `addEventListener('securitypolicyviolation',
  ({ violatedDirective, blockedURI, sourceFile, lineNumber, columnNumber, sample }) => console.error(
    ['policy:', violatedDirective, blockedURI, sourceFile + ':' + lineNumber + ':' + columnNumber, sample].join(' ')))`;

/** Waits until the page has read everything. Not with `expect.poll`, which does not work in concurrent tests. */
export const untilLoaded = (page: Page): Promise<void> =>
  vi.waitFor(async () => expect(await page.locator('.loading').count()).toBe(0));

export interface VisitorOptions {
  url: string;
  browser: Browser;
  /** The session of somebody who is signed in already. */
  session?: string | undefined;
  theme?: 'light' | 'dark';
  width?: number;
  /** Screen pixels for each pixel of the page. */
  scale?: number;
}

const displayNames: Record<string, string> = { ada: 'Ada Lovelace', grace: 'Grace Hopper', linus: 'Linus' };

export async function visitor({
  url,
  browser,
  session,
  theme = 'light',
  width = 1280,
  scale = 1,
}: VisitorOptions): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    deviceScaleFactor: scale,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...(session !== undefined && {
      storageState: {
        cookies: [],
        origins: [{ origin: url, localStorage: [{ name: 'access_token', value: session }] }],
      },
    }),
  });
  context.setDefaultTimeout(30_000);
  const faults: string[] = [];
  await context.addInitScript({ content: reportRefusals });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /policy|Content Security|TrustedHTML/i.test(message.text()))
      faults.unshift(message.text());
  });
  return {
    context,
    page,
    faults,
    open: async (path) => void (await page.goto(`${url}${path}`)),
    async show(path) {
      await page.goto(`${url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilLoaded(page);
    },
    async signIn(name) {
      // The provider would remember who signed in earlier in this window.
      await context.clearCookies();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('button', { name: new RegExp(displayNames[name] ?? name) }).click();
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(faults.join('\n')).toBe('');
    },
  };
}
