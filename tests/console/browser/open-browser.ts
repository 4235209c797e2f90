import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { argumentsOfChromium, chromiumFromNpm } from './chromium-from-npm.ts';

/** Turns off the requests to other hosts that a browser otherwise makes at each start. */
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

/** A real browser: Chromium from npm, which needs no root; on other machines than Linux on x64, the Chrome that is installed there. */
export async function openBrowser(): Promise<Browser> {
  const own = process.env['BERTH_CHROME'];
  if (own === undefined && process.platform === 'linux' && process.arch === 'x64') {
    return chromium.launch({ executablePath: await chromiumFromNpm(), args: [...argumentsOfChromium, ...quiet] });
  }
  const executablePath = own ?? installed.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      `there is no Chromium package for ${process.platform}/${process.arch}: install Chrome, or name one with BERTH_CHROME`,
    );
  }
  return chromium.launch({ executablePath, args: quiet });
}
