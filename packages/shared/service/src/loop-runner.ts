import { Bug } from '@berth/contracts/errors';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { oncePerRegistry } from './metrics/once-per-registry.ts';
import type { Loop } from './service.ts';

export interface LoopRunnerDeps {
  signal: AbortSignal;
  log: Logger;
  metrics: Registry;
  onFatal(error: unknown): void;
}

const loopMetrics = oncePerRegistry((registry) => {
  const registers = [registry];
  const labelNames = ['loop', 'outcome'] as const;
  return {
    runs: new Counter({ name: 'berth_loop_runs_total', help: 'Runs of a loop', labelNames, registers }),
    seconds: new Counter({
      name: 'berth_loop_seconds_total',
      help: 'Time spent in runs of a loop',
      labelNames,
      registers,
    }),
    last: new Gauge({
      name: 'berth_loop_last_success_timestamp_seconds',
      help: 'When a run of a loop last succeeded; before the first one, when the loop was started',
      labelNames: ['loop'] as const,
      registers,
    }),
    interval: new Gauge({
      name: 'berth_loop_interval_seconds',
      help: 'The pause after a run of a loop that succeeded',
      labelNames: ['loop'] as const,
      registers,
    }),
  };
});

/** Starts loops, counts their runs, and waits for all of them to end. */
export function createLoopRunner({ signal, log, metrics, onFatal }: LoopRunnerDeps) {
  const { runs, seconds, last, interval } = loopMetrics(metrics);
  const running = new Set<Promise<void>>();

  async function run(name: string, loop: Loop): Promise<void> {
    const loopLog = log.child({ loop: name });
    try {
      await loop(signal, {
        log: loopLog,
        repeats(ms) {
          interval.set({ loop: name }, ms / 1_000);
          // A first run that hangs is a loop that hangs.
          last.set({ loop: name }, Date.now() / 1_000);
        },
        ran(outcome, took) {
          runs.inc({ loop: name, outcome });
          seconds.inc({ loop: name, outcome }, took);
          if (outcome === 'ok') last.set({ loop: name }, Date.now() / 1_000);
        },
      });
      if (!signal.aborted) throw new Bug(`the loop "${name}" ended before it was stopped`);
    } catch (error) {
      if (signal.aborted) loopLog.info({ err: error }, 'a loop ended with an error at shutdown');
      else onFatal(error);
    }
  }

  return {
    start(name: string, loop: Loop): void {
      const work = run(name, loop).finally(() => running.delete(work));
      running.add(work);
    },
    async ended(): Promise<void> {
      await Promise.all(running);
    },
  };
}
