import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { argumentsOfChromium, chromiumFromNpm } from './chromium-from-npm.ts';

/** Prevents the requests to other hosts that a browser makes at each start. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
];

const installed = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Starts a browser with a folder for temporary files, which is removed with it: a killed browser leaves its files behind. */
async function launch(options: { executablePath: string; args: string[] }): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-browser-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const browser = await chromium.launch({ ...options, env: { ...process.env, TMPDIR: folder } });
    const close = browser.close.bind(browser);
    browser.close = async () => {
      try {
        await close();
      } finally {
        await remove();
      }
    };
    return browser;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Starts a real browser: Chromium from npm, which needs no root, or the installed Chrome where that package has no build. */
export async function openBrowser(): Promise<Browser> {
  const own = process.env['BERTH_CHROME'];
  if (own === undefined && process.platform === 'linux' && process.arch === 'x64') {
    return launch({ executablePath: await chromiumFromNpm(), args: [...argumentsOfChromium, ...quiet] });
  }
  const executablePath = own ?? installed.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      `there is no Chromium package for ${process.platform}/${process.arch}: install Chrome, or name one with BERTH_CHROME`,
    );
  }
  return launch({ executablePath, args: quiet });
}
