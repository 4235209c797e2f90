import { fileURLToPath } from 'node:url';
import { freePort } from '@berth/testing/network/free-port';
import { startNode } from '@berth/testing/node-process';

export interface TasksProcess extends AsyncDisposable {
  /** Its output so far. */
  log(): string;
  readiness(): Promise<unknown>;
  /** The present metrics for Prometheus. */
  metrics(): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as it runs in production, from its own main.ts; resolves when it is ready. */
export async function startTasksProcess(settings: Record<string, string>): Promise<TasksProcess> {
  const port = await freePort();
  const { output, kill, untilReady } = startNode([main], {
    HEALTH_PORT: String(port),
    LOG_LEVEL: 'debug',
    ...settings,
  });
  const read = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  await untilReady('tasks', async () => (await read('/readyz').catch(() => null))?.ok ?? false);
  return {
    log: output,
    readiness: async () => (await read('/readyz')).json(),
    metrics: async () => (await read('/metrics')).text(),
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}
