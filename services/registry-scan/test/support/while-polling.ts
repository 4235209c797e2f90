import { randomUUID } from 'node:crypto';
import { whileHolding } from '@berth/db/leases/while-holding';
import { Registry } from 'prom-client';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import { createScanMetrics } from '../../src/polling/scan-metrics.ts';
import type { ServiceInTest } from './service-in-test.ts';

/** Polls the created registries, as a replica of the service does, until the work is done. */
export async function whilePolling<T>({ created, db, scan }: ServiceInTest, work: () => Promise<T>): Promise<T> {
  const lease = { holder: randomUUID(), ttlMs: 30_000, heartbeatMs: 8_000, marginMs: 5_000 };
  const polling = created.pollAll({
    scan,
    pollRepository: createPollRepository(db),
    metrics: createScanMetrics(new Registry()),
    whileLeader: (key, poll, signal) => whileHolding(db, { ...lease, name: key, signal }, poll),
  });
  const stop = new AbortController();
  const ended = polling(stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await ended;
  }
}
