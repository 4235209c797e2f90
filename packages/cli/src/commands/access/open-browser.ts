import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import type { Cli } from '../../terminal/cli.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser, in that of `BROWSER` if it is set; false if there is none. */
export async function openBrowser({ env }: Pick<Cli, 'env'>, address: string): Promise<boolean> {
  const [program, ...args] = env['BROWSER'] ? [env['BROWSER']] : (openers[platform()] ?? ['xdg-open']);
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  const started = await Promise.race([
    once(child, 'spawn').then(() => true),
    once(child, 'error').then(() => false),
  ]).catch(() => false);
  child.unref();
  return started;
}
