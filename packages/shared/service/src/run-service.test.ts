import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileCache } from '@berth/testing/compile-cache';
import { freePort } from '@berth/testing/network/free-port';

let folder: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-service-'));
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** A service in its own process, since signals and exit codes belong to processes. */
async function start(wiring: string, environment: Record<string, string> = {}) {
  const file = join(folder, `${crypto.randomUUID()}.ts`);
  const runService = new URL('./run-service.ts', import.meta.url).href;
  const loop = new URL('./loop.ts', import.meta.url).href;
  await writeFile(
    file,
    `import { runService } from '${runService}';\nimport { every } from '${loop}';\n` +
      `import { setTimeout as sleep } from 'node:timers/promises';\n` +
      `import { spawnSync } from 'node:child_process';\nimport { Worker } from 'node:worker_threads';\n` +
      `await runService('sample', async (service) => { const { use, loop, log, signal } = service;\n${wiring}\n});\n`,
  );
  const child = spawn(process.execPath, [file], {
    env: { ...compileCache(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = once(child, 'exit').then(([code]) => Number(code));
  return {
    child,
    exited,
    output: () => output,
    says: (words: string) => expect.poll(() => output).toContain(words),
  };
}

const closes = (name: string) => `{ async [Symbol.asyncDispose]() { log.info('closed ${name}'); } }`;

describe('a service', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'exits with code 0 after %s and closes its resources in reverse order after its loops end',
    async (signal) => {
      const service = await start(`
      use(${closes('first')}); use(${closes('second')});
      loop('work', async (end) => { await new Promise((r) => end.addEventListener('abort', r)); log.info('loop ended'); });
    `);
      await service.says('"msg":"started"');

      service.child.kill(signal);

      expect(await service.exited).toBe(0);
      expect(service.output()).toMatch(/loop ended[^]*closed second[^]*closed first[^]*"msg":"stopped"/);
    },
  );

  test.for([
    ['that computes', 'while (process.threadCpuUsage().user < before + 400_000);', { delay: 1, own_delay: 1 }],
    [
      'that waits while another thread computes',
      `new Worker('for (;;);', { eval: true }).unref();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);`,
      { delay: 1, own_delay: 0 },
    ],
    [
      'during which the process is stopped',
      `spawnSync('sh', ['-c', 'kill -STOP $PPID; sleep 0.5; kill -CONT $PPID']);`,
      { delay: 1, own_delay: 0 },
    ],
  ] as const)('measures for how long work %s blocked everything else', async ([, work, most]) => {
    const port = await freePort();
    const service = await start(
      `setTimeout(() => { const before = process.threadCpuUsage().user; ${work} log.info('worked'); }, 100);`,
      { HEALTH_PORT: String(port) },
    );
    await service.says('"msg":"worked"');

    const slow = async (metric: keyof typeof most) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const upTo = (le: string) =>
        Number(new RegExp(`^berth_event_loop_${metric}_seconds_bucket\\{le="${le}"\\} (\\d+)`, 'm').exec(text)?.[1]);
      return upTo('\\+Inf') - upTo('0\\.3');
    };
    await expect.poll(() => slow('delay')).toBeGreaterThanOrEqual(1);
    expect(await slow('own_delay')).toBe(most.own_delay);
  });

  test.for([
    ['its wiring throws', `throw new Error('no such server');`, 'no such server'],
    ['a loop throws', `loop('work', async () => { throw new Error('lost it'); });`, 'lost it'],
    ['a loop ends by itself', `loop('work', async () => {});`, 'ended before it was stopped'],
    ['nobody caught a rejection', `setTimeout(() => void Promise.reject(new Error('forgotten')), 5);`, 'forgotten'],
    ['nobody caught an error', `setTimeout(() => { throw new Error('thrown') }, 5);`, 'thrown'],
    [
      'a resource that it uses fails',
      `use({ failure: AbortSignal.abort(new Error('cannot listen')), [Symbol.dispose]() {} });`,
      'cannot listen',
    ],
  ] as const)('exits with code 1 when %s, and still closes what it opened', async ([, wiring, words]) => {
    const service = await start(`use(${closes('it')});\n${wiring}`);

    expect(await service.exited).toBe(1);
    expect(service.output()).toContain(words);
    expect(service.output()).toContain('closed it');
  });

  test('exits with code 1 if closing fails', async () => {
    const service = await start(`use({ [Symbol.dispose]() { throw new Error('stuck door'); } });`);
    await service.says('"msg":"started"');

    service.child.kill('SIGTERM');

    expect(await service.exited).toBe(1);
    expect(service.output()).toContain('stuck door');
  });

  test('exits with code 0 if it is stopped while it waits for a server', async () => {
    const service = await start(`
      log.info('waiting');
      await sleep(60_000, undefined, { signal });
    `);
    await service.says('waiting');

    service.child.kill('SIGTERM');

    expect(await service.exited).toBe(0);
  });

  test('names an invalid setting and exits with code 1', async () => {
    const service = await start('', { HEALTH_PORT: 'hunter2' });

    expect(await service.exited).toBe(1);
    expect(service.output()).toContain('HEALTH_PORT');
    expect(service.output()).not.toContain('hunter2');
  });
});

describe('the health server', () => {
  test('is alive before it is ready, and serves metrics', async () => {
    const port = await freePort();
    const service = await start(
      `
      let connected = false;
      use({ isAlive: () => true, isConnected: () => connected, [Symbol.dispose]() {} });
      loop('work', every(10, () => undefined));
      loop('hangs', every(10, (end) => new Promise((r) => end.addEventListener('abort', r))));
      await new Promise((resolve) => process.once('SIGUSR2', resolve));
      process.once('SIGUSR2', () => { connected = true; });
      log.info('wired');
    `,
      { HEALTH_PORT: String(port) },
    );
    const status = async (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.status,
        () => 0,
      );

    await expect.poll(() => status('/healthz')).toBe(200);
    expect(await status('/readyz')).toBe(503);
    service.child.kill('SIGUSR2');
    await service.says('"msg":"started"');
    expect(await status('/readyz')).toBe(503);
    service.child.kill('SIGUSR2');
    await expect.poll(() => status('/readyz')).toBe(200);
    expect(await status('/other')).toBe(404);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/berth_loop_runs_total\{loop="work",outcome="ok"\} \d+/);
    expect(metrics).toContain('berth_loop_interval_seconds{loop="work"} 0.01');
    expect(metrics).toMatch(/berth_loop_last_success_timestamp_seconds\{loop="hangs"\} \d+/);
    expect(metrics).toContain('process_cpu_user_seconds_total');

    service.child.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});
