import { AppError } from '@berth/contracts/errors';
import { machineMs } from '@berth/process-guard/machine-clock';
import { expect, test, vi } from 'vitest';
import { type ClaimLeaseDeps, keepClaim } from './claim-lease.ts';
import { safeUntil } from './lease-time.ts';

interface Answer {
  lease_ms: number;
  cancel_requested: boolean;
}

/** `answer` answers each heartbeat; `hint` sends a cancellation hint. */
function claim(leaseMs: number, answer: () => Answer) {
  let beats = 0;
  let wake = () => {};
  const said: unknown[] = [];
  const bus: ClaimLeaseDeps['bus'] = {
    call: async (_operation, request) => {
      beats += 1;
      said.push(request);
      return JSON.parse(JSON.stringify(answer()));
    },
    hints: { send: () => {}, listen: (_name, onHint) => void (wake = () => onHint('a')) },
  };
  const task = { task_id: 'a', fence: 1, lease_ms: leaseMs };
  const lease = keepClaim({ task, bus, claimedAt: machineMs() });
  return { lease, said, beats: () => beats, hint: () => wake() };
}

const renewed = (leaseMs: number, cancel_requested = false) => ({ lease_ms: leaseMs, cancel_requested });
const unavailable = (): never => {
  throw new AppError('unavailable', 'no answer');
};

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a claim lasts while its heartbeats are answered, and calls its listeners at each renewal', async () => {
  // The claim lasts 3 s, four heartbeats: a stall of the test process does not lose it.
  const leaseMs = 4_500;
  const claimedAt = machineMs();
  using claimed = claim(leaseMs, () => renewed(leaseMs)).lease;
  const renewals: number[] = [];
  const listening = claimed.onRenewed((ms) => renewals.push(ms));

  await expect.poll(() => machineMs()).toBeGreaterThan(safeUntil(claimedAt, leaseMs));
  listening[Symbol.dispose]();
  const before = renewals.length;
  await claimed.confirm();

  expect(claimed.isLost()).toBe(false);
  expect(before).toBeGreaterThan(0);
  expect(renewals).toHaveLength(before);
});

test('a claim whose heartbeats are unanswered is given up after two thirds of its lease', async () => {
  const started = performance.now();
  using claimed = claim(600, unavailable).lease;

  await new Promise((resolve) => claimed.lost.addEventListener('abort', resolve));

  // The clock of the machine has steps of 10 ms.
  expect(performance.now() - started).toBeGreaterThanOrEqual(389);
});

test('a process that was paused learns that its claim is over before any timer has run', async () => {
  using claimed = claim(300, () => renewed(300)).lease;

  block(250);

  expect(claimed.lost.aborted).toBe(false);
  expect(claimed.isLost()).toBe(true);
  expect(claimed.lost.aborted).toBe(true);
});

test('a heartbeat answered after the claim expired does not restore it', async () => {
  using claimed = claim(300, () => {
    block(250);
    return renewed(300);
  }).lease;

  await expect(claimed.confirm()).rejects.toThrow('could not be confirmed');
  expect(claimed.lost.aborted).toBe(true);
});

test('a claim that another runner has taken over is lost at the next heartbeat', async () => {
  using claimed = claim(30_000, () => {
    throw new AppError('conflict', 'taken over');
  }).lease;

  await expect(claimed.confirm()).rejects.toThrow('could not be confirmed');
  expect(claimed.lost.aborted).toBe(true);
});

test('a cancellation hint causes a heartbeat at once', async () => {
  const { lease, beats, hint } = claim(30_000, () => renewed(30_000, true));
  using claimed = lease;
  const canceled = new Promise((resolve) => claimed.canceled.addEventListener('abort', resolve));

  hint();
  await canceled;

  expect(beats()).toBe(1);
});

test('heartbeats report at once what a run waits for, repeat it, and stop when the run no longer waits', async () => {
  const { lease, said, beats } = claim(60_000, () => renewed(60_000));
  using _ = lease;

  lease.waitsFor('Waiting for a pod');
  await vi.waitFor(() => expect(beats()).toBe(1), { interval: 5 });
  await lease.confirm();
  lease.waitsFor(null);
  await lease.confirm();

  const body = { task_id: 'a', fence: 1, helm_begins: false };
  expect(said).toEqual([
    { body: { ...body, waits_for: 'Waiting for a pod' } },
    { body: { ...body, waits_for: 'Waiting for a pod' } },
    { body },
  ]);
});

test('a claim continues if the service does not accept the report of a wait', async () => {
  let refusals = 0;
  const { lease, said } = claim(60_000, () => {
    if (JSON.stringify(said.at(-1)).includes('waits_for')) {
      refusals += 1;
      throw new AppError('invalid', 'unrecognized key');
    }
    return renewed(60_000);
  });
  using _ = lease;

  lease.waitsFor('Waiting for a pod');
  await vi.waitFor(() => expect(refusals).toBe(1), { interval: 5 });
  lease.waitsFor('Waiting for two pods');
  await lease.confirm();

  expect(refusals).toBe(1);
  expect(lease.isLost()).toBe(false);
});
