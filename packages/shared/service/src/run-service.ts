import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { collectDefaultMetrics, register } from 'prom-client';
import { z } from 'zod';
import { createLog } from './logging/create-log.ts';
import { watchEventLoop } from './health/event-loop-check.ts';
import { observeEventLoopDelay } from './metrics/event-loop-delay.ts';
import { Health } from './health/health.ts';
import { startHealthServer } from './health/health-server.ts';
import { every } from './loop.ts';
import { createLoopRunner } from './loop-runner.ts';
import { readConfig } from './read-config.ts';
import type { Service, TellsHealth } from './service.ts';
import { watchShutdown } from './shutdown-watchdog.ts';
import { readCertificate } from './tls/certificate-folder.ts';
import { startTracing, wantsTraces } from './tracing.ts';

type Environment = Record<string, string | undefined>;

const Level = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info');

/** Common settings of all services. */
const Settings = z
  .object({
    LOG_LEVEL: Level,
    /** Port of `/healthz`, `/readyz` and `/metrics`; without it they are not served. */
    HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
    HEALTH_HOST: z.string().min(1).default('127.0.0.1'),
    /** Folder with `tls.crt` and `tls.key`; without it they are served without TLS. */
    HEALTH_TLS_FOLDER: z.string().min(1).optional(),
  })
  .transform((env) => ({ port: env.HEALTH_PORT, host: env.HEALTH_HOST, folder: env.HEALTH_TLS_FOLDER }));

export interface RunOptions {
  environment?: Environment;
  /** Stops the service as SIGTERM does. */
  stop?: AbortSignal;
}

/**
 * Runs a service until SIGTERM, SIGINT or a failure. `wire` opens resources with `use` and starts loops; resources are closed in
 * reverse order. The exit code is 0 after a signal and 1 after a failure.
 */
export async function runService(
  name: string,
  wire: (service: Service) => Promise<void>,
  // oxlint-disable-next-line node/no-process-env -- the same for every main.ts; tests pass their own
  { environment = process.env, stop }: RunOptions = {},
): Promise<void> {
  const log = createLog(name, { level: Level.safeParse(environment['LOG_LEVEL']).data });
  using end = listenForTheEnd(log, stop);
  const watchdog = watchShutdown(end.signal, log);

  try {
    await runUntil(name, wire, { environment, log, end });
  } catch (error) {
    end.onFatal(error);
  }
  // A test that stops the service with its signal continues; a process must exit.
  if (stop) watchdog[Symbol.dispose]();
  if (end.failed()) process.exitCode = 1;
  log.info({ exit_code: process.exitCode ?? 0 }, 'stopped');
}

interface Run {
  environment: Environment;
  log: Logger;
  end: ReturnType<typeof listenForTheEnd>;
}

async function runUntil(
  name: string,
  wire: (service: Service) => Promise<void>,
  { environment, log, end: { onFatal, signal } }: Run,
): Promise<void> {
  const settings = readConfig(Settings, environment);
  await using stack = new AsyncDisposableStack();
  const metrics = metricsOfProcess();
  const health = new Health(metrics);
  health.liveness('event loop', stack.use(watchEventLoop()).turns);
  stack.use(observeEventLoopDelay(metrics));
  if (wantsTraces(environment)) stack.use(await startTracing(name, environment));
  // Opened before the wiring, so that a service waiting for its servers is alive but not ready.
  const { host, port, folder } = settings;
  const tls = folder === undefined ? undefined : { folder, inUse: await readCertificate(folder) };
  const server = port === undefined ? undefined : stack.use(await startHealthServer({ host, port, health, tls, log }));
  const loops = createLoopRunner({ signal, log, metrics, onFatal });
  if (server?.renew) loops.start('renew the certificate of metrics', every(60_000, server.renew));

  try {
    await wire({
      log,
      metrics,
      signal,
      use: (resource) => stack.use(countIntoHealth(resource, health, onFatal)),
      loop: loops.start,
      readiness: (check, passes) => health.readiness(check, passes),
      liveness: (check, passes) => health.liveness(check, passes),
    });
    health.started();
    log.info('started');
    await aborted(signal);
  } catch (error) {
    // The service was stopped while it waited for a server, which is not a failure.
    if (!signal.aborted) onFatal(error);
  }
  health.stopping();
  // Loops end before the resources that they use are closed.
  await loops.ended();
}

/** Listens for signals and uncaught errors; the first failure ends the service. */
function listenForTheEnd(log: Logger, stop: AbortSignal | undefined) {
  const stopping = new AbortController();
  let failed = false;

  const onStop = () => stopping.abort();
  const onSignal = (which: NodeJS.Signals) => {
    log.info({ signal: which }, 'stopping on a signal');
    onStop();
  };
  const onFatal = (error: unknown) => {
    log.fatal({ err: error }, failed ? 'another failure' : 'stopping because of a failure');
    failed = true;
    onStop();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  process.on('uncaughtException', onFatal).on('unhandledRejection', onFatal);
  stop?.addEventListener('abort', onStop, { once: true });
  if (stop?.aborted) onStop();

  return {
    signal: stopping.signal,
    onFatal,
    failed: () => failed,
    [Symbol.dispose]() {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
      process.off('uncaughtException', onFatal).off('unhandledRejection', onFatal);
      stop?.removeEventListener('abort', onStop);
    },
  };
}

let collects = false;

function metricsOfProcess(): typeof register {
  if (!collects) collectDefaultMetrics({ register });
  collects = true;
  return register;
}

let resourcesSeen = 0;

function countIntoHealth<T extends TellsHealth>(resource: T, health: Health, onFatal: (error: unknown) => void): T {
  if (!resource.isAlive && !resource.isConnected && !resource.failure) return resource;
  resourcesSeen += 1;
  const name = `connection ${resourcesSeen}`;
  if (resource.isAlive) health.liveness(name, () => resource.isAlive?.() ?? true);
  if (resource.isConnected) health.readiness(name, () => resource.isConnected?.() ?? true);
  const { failure } = resource;
  if (failure?.aborted) onFatal(failure.reason);
  failure?.addEventListener('abort', () => onFatal(failure.reason), { once: true });
  return resource;
}

const longestTimer = 2 ** 31 - 1;

/** The timer keeps the process alive if nothing else does; a listener alone would not. */
async function aborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(longestTimer, undefined, { signal }).catch(() => undefined);
}
