import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@berth/shared/testing/compile-cache';
import { freePort } from '@berth/shared/testing/free-port';

export interface TasksProcess extends AsyncDisposable {
  /** Its output so far. */
  log(): string;
  readiness(): Promise<unknown>;
  /** What Prometheus would read now. */
  metrics(): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as it runs in production, from its own main.ts; resolves when it is ready. */
export async function startTasksProcess(settings: Record<string, string>): Promise<TasksProcess> {
  const port = await freePort();
  const env = { ...compileCache(), HEALTH_PORT: String(port), LOG_LEVEL: 'debug', ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  // A test that dies must not leave its service behind.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));

  const kill = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };

  const end = performance.now() + 45_000;
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok) {
    if (child.exitCode !== null || performance.now() > end) {
      await kill('SIGKILL');
      throw new Error(`tasks did not become ready:\n${said.slice(-4_000)}`);
    }
    await sleep(50);
  }
  return {
    log: () => said,
    readiness: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json(),
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}
