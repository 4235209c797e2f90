import { setTimeout as sleep } from 'node:timers/promises';
import type { ScannedRegistry } from '../scan/scanned-registry.ts';
import type { ScanDeps } from '../scan/scan-deps.ts';
import type { ScanMetrics } from './scan-metrics.ts';

interface ShowProgress {
  registry: ScannedRegistry;
  metrics: Pick<ScanMetrics, 'progressed'>;
  log: ScanDeps['log'];
  signal: AbortSignal;
  everyMs?: number;
}

/** Logs and counts how far a long scan is, until it is disposed. */
export function showProgress({ registry, metrics, log, signal, everyMs = 15_000 }: ShowProgress): AsyncDisposable {
  const { source, progress } = registry;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);

  async function show(): Promise<void> {
    let shown = 0;
    while (!until.aborted) {
      await sleep(everyMs, undefined, { signal: until, ref: false }).catch(() => undefined);
      metrics.progressed(source.domain, progress);
      // A round that reads no new tag is slow on purpose, so it logs nothing.
      if (!until.aborted && progress.tagsRead > shown) {
        log.info({ registry: source.domain, ...progress }, 'scanning a registry');
      }
      shown = progress.tagsRead;
    }
  }
  const showing = show();

  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await showing;
    },
  };
}
