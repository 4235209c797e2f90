import { fileURLToPath } from 'node:url';
import { freePort } from '@berth/testing/network/free-port';
import { startNode } from '@berth/testing/node-process';

export interface AuthProcess extends AsyncDisposable {
  /** Its output so far. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as it runs in production, from its own main.ts; resolves when it is ready. */
export async function startAuthProcess(settings: Record<string, string>, args: string[] = []): Promise<AuthProcess> {
  const port = await freePort();
  const { output, kill, untilReady } = startNode([main, ...args], {
    PATH: process.env['PATH'],
    HEALTH_PORT: String(port),
    LOG_LEVEL: 'info',
    ...settings,
  });
  const readyz = `http://127.0.0.1:${port}/readyz`;
  await untilReady('auth', async () => (await fetch(readyz).catch(() => null))?.ok ?? false);
  return {
    log: output,
    stop: (signal = 'SIGTERM') => kill(signal),
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}
