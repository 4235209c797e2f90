import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCredentialBook } from './credential-book.ts';
import type { WantedCredentials } from './credential-repository.ts';
import { nextRefreshMs } from './next-refresh.ts';

const second = 1_000;
const minute = 60 * second;
const lifetimeMs = 60 * minute;

/** A simulated cluster: written Secrets are in `secrets`. */
function world(deployments: number) {
  const secrets = new Map<string, { digest: string; isOfChart: boolean }>();
  const book = createCredentialBook({ secretOf: (namespace) => secrets.get(namespace), betweenWritesMs: 15 * second });
  const rows: WantedCredentials[] = Array.from({ length: deployments }, (_, i) => ({
    deployment_id: randomUUID(),
    namespace: `ns-${i}`,
    env_id: randomUUID(),
    digest: null,
    refresh_in_ms: null,
  }));
  let serial = 0;
  book.want(rows, 0);
  return {
    secrets,
    book,
    rows,
    write(namespace: string, deploymentId: string, now: number) {
      const digest = `digest ${(serial += 1)}`;
      secrets.set(namespace, { digest, isOfChart: false });
      const refreshInMs = nextRefreshMs({ deploymentId, lifetimeMs, nowMs: now, random: Math.random() });
      book.learn(namespace, { digest, refreshInMs }, now);
    },
  };
}

test('no credentials expire in an outage of ten minutes, and their refreshes are spread out again afterwards', () => {
  // A twentieth of 10,000 deployments, at a twentieth of the usual pace.
  const deployments = 500;
  const writesPerSecond = 1;
  const step = 10 * second;
  const { book, write } = world(deployments);
  const writtenAt = new Map<string, number>();
  const perFiveMinutes: number[] = [];
  let oldest = 0;

  for (let now = 0; now < 130 * minute; now += step) {
    const isAway = now >= 60 * minute && now < 70 * minute;
    const due = isAway ? [] : book.due(now, (writesPerSecond * step) / second);
    for (const { namespace, deploymentId } of due) {
      oldest = Math.max(oldest, now - (writtenAt.get(namespace) ?? now));
      writtenAt.set(namespace, now);
      write(namespace, deploymentId, now);
    }
    const bin = Math.floor(now / (5 * minute));
    perFiveMinutes[bin] = (perFiveMinutes[bin] ?? 0) + due.length;
  }

  expect(writtenAt.size).toBe(deployments);
  expect(oldest).toBeLessThan(lifetimeMs - 15 * minute);
  // The mean is 125.
  for (const written of [...perFiveMinutes.slice(8, 12), ...perFiveMinutes.slice(22, 26)]) {
    expect(written).toBeGreaterThan(60);
    expect(written).toBeLessThan(200);
  }
});

test('a Secret that keeps being changed is repaired and does not delay others', () => {
  const { book, rows, secrets, write } = world(60);
  for (const { namespace, deployment_id } of rows) write(namespace, deployment_id, 0);
  const hostile = new Set(rows.slice(0, 40).map(({ namespace }) => namespace));
  const repaired = new Map<string, number>();
  const refreshed = new Set<string>();

  for (let now = second; now < 30 * minute; now += 5 * second) {
    for (const namespace of hostile) secrets.delete(namespace);
    for (const { namespace, deploymentId } of book.due(now, 5)) {
      if (hostile.has(namespace)) repaired.set(namespace, (repaired.get(namespace) ?? 0) + 1);
      else refreshed.add(namespace);
      book.postpone(namespace, now + 15 * second);
      write(namespace, deploymentId, now);
    }
  }

  expect(refreshed.size).toBe(20);
  for (const namespace of hostile) expect(repaired.get(namespace)).toBeGreaterThan(20);
});

test('credentials that the runner has written are watched again at once', () => {
  const { book, rows, secrets } = world(1);
  const [row] = rows;
  if (!row) throw new Error('no row');
  const { namespace } = row;
  // As if the namespace did not exist yet.
  book.postpone(namespace, 5 * minute);
  secrets.set(namespace, { digest: 'written by the runner', isOfChart: false });
  book.want([{ ...row, digest: 'written by the runner', refresh_in_ms: 10 * minute }], 20 * second);
  expect(book.due(21 * second, 10)).toEqual([]);

  secrets.delete(namespace);
  expect(book.due(37 * second, 10)).toMatchObject([{ namespace, why: 'repair' }]);
});

test('a removed deployment gets no credentials, and a deployment that takes over its namespace does not wait', () => {
  const { book, rows } = world(2);
  const [one, two] = rows;
  if (!one || !two) throw new Error('no rows');
  for (const { namespace } of rows) book.postpone(namespace, 60 * minute);
  book.want([{ ...one, deployment_id: randomUUID() }], second);

  expect(book.due(second, 10).map(({ namespace }) => namespace)).toEqual([one.namespace]);
});
