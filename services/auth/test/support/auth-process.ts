import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@berth/shared/testing/compile-cache';
import { freePort } from '@berth/shared/testing/free-port';

export interface AuthProcess extends AsyncDisposable {
  /** Everything it wrote so far. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as it runs in production, from its own main.ts; resolves when it is ready. */
export async function startAuthProcess(settings: Record<string, string>, args: string[] = []): Promise<AuthProcess> {
  const port = await freePort();
  const env = {
    ...compileCache(),
    PATH: process.env['PATH'],
    HEALTH_PORT: String(port),
    LOG_LEVEL: 'info',
    ...settings,
  };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const listen = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  // A test that dies must not leave its service behind.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));

  await untilReady(child, port).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw new Error(`auth did not become ready:\n${output.slice(-4_000)}`, { cause });
  });

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }

  return {
    log: () => output,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL');
    },
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (response?.ok) return;
    await sleep(50);
  }
  throw new Error('not ready after 20 s');
}
