import { readFileSync } from 'node:fs';
import { SyncStatus } from '@berth/contracts/resources/deployments/deployment-resources';
import { describe, expect, test } from 'vitest';
import {
  afterEvent,
  type Callable,
  isForDependents,
  newSync,
  pendingOperation,
  type Sync,
  syncEvents,
} from './sync.ts';

const flags = [true, false];
const callables: Callable[] = flags.flatMap((create) =>
  flags.flatMap((update) => flags.map((remove) => ({ create, update, delete: remove }))),
);
const every: Callable = { create: true, update: true, delete: true };
const keyOf = (sync: Sync) => JSON.stringify(sync);

/** All reachable states, including those reached while the lifecycle of the type changes. */
function reachable(): Sync[] {
  const found = new Map<string, Sync>();
  const open = SyncStatus.options.flatMap((status) => callables.map((callable) => newSync(status, callable)));
  for (let sync = open.pop(); sync; sync = open.pop()) {
    if (found.has(keyOf(sync))) continue;
    found.set(keyOf(sync), sync);
    for (const event of syncEvents) {
      for (const callable of callables) {
        const after = afterEvent(sync, event, callable);
        if (after) open.push(after);
      }
    }
  }
  return [...found.values()];
}

const states = reachable();
const steps = states.flatMap((before) =>
  syncEvents.flatMap((event) =>
    callables.flatMap((callable) => {
      const after = afterEvent(before, event, callable);
      return after ? [{ before, event, callable, after }] : [];
    }),
  ),
);
const wrong = (holds: (step: (typeof steps)[number]) => boolean) => steps.filter((step) => !holds(step));

describe('in every reachable state, a resource', () => {
  test('that is Ready is known to its managing deployment, and nothing is in flight', () => {
    const bad = states.filter(({ sync_status, known, call, exists }) => {
      return sync_status === 'Ready' && exists && (known !== 'yes' || call !== 'none');
    });

    expect(states.length).toBeGreaterThan(15);
    expect(bad).toEqual([]);
  });

  test('stays deleted once it is deleted', () => {
    expect(states.some(({ exists }) => !exists)).toBe(true);
    expect(steps.filter(({ before }) => !before.exists)).toEqual([]);
  });

  test('needs no further call after a few calls that succeed, or that fail for good', () => {
    for (const event of ['call succeeds', 'call fails for good'] as const) {
      const stuck = states.filter((state) => {
        let sync: Sync = state;
        for (let calls = 0; calls < 3 && pendingOperation(sync) !== null; calls += 1) {
          const started = sync.call === 'none' ? afterEvent(sync, 'call starts', every) : sync;
          sync = (started && afterEvent(started, event, every)) ?? sync;
        }
        return pendingOperation(sync) !== null;
      });
      expect(stuck).toEqual([]);
    }
  });

  test('is Ready after a call only if that call carried its current props, or no call is defined for an update', () => {
    const calls = steps.filter(({ event }) => event.startsWith('call '));
    const bad = calls.filter(({ before, after, callable }) => {
      return after.sync_status === 'Ready' && after.exists && before.call === 'outdated' && callable.update;
    });

    expect(bad).toEqual([]);
  });

  test('is never Ready again once its deletion was requested', () => {
    expect(
      wrong(({ before, after }) => before.sync_status !== 'Deleting' || after.sync_status !== 'Ready' || !after.exists),
    ).toEqual([]);
  });

  test('is deleted without a call only if it is unknown to its managing deployment, no call is defined, or that deployment announced the deletion or is gone', () => {
    const deletions = steps.filter(({ after }) => !after.exists);
    const silent = deletions.filter(({ event }) => event === 'deletion requested');

    expect(
      silent.filter(({ before, callable }) => before.known !== 'no' && (callable.delete || before.call !== 'none')),
    ).toEqual([]);
    expect(new Set(deletions.map(({ event }) => event))).toEqual(
      new Set(['deletion requested', 'deletion announced', 'call succeeds', 'manager deleted']),
    );
  });

  test('is not created again after a call for it succeeded', () => {
    expect(wrong(({ before, after }) => before.known !== 'yes' || pendingOperation(after) !== 'create')).toEqual([]);
  });

  test('keeps a call in flight until it is reported, its managing deployment is gone, or the resource is deleted', () => {
    const lost = steps.filter(({ before, event, after }) => {
      return (
        before.call !== 'none' &&
        after.call === 'none' &&
        after.exists &&
        !event.startsWith('call ') &&
        event !== 'manager deleted'
      );
    });

    expect(lost).toEqual([]);
  });

  test('causes its dependents to be reinstalled when it reaches its requested state', () => {
    const notified = new Set(
      steps.filter(({ event, after }) => isForDependents(event, after)).map(({ event }) => event),
    );

    expect(notified).toEqual(new Set(['update requested', 'update announced', 'call succeeds']));
  });
});

/** A cell of the table in the specification: the state after an event, if all three operations are calls. */
function cell(status: SyncStatus, event: (typeof syncEvents)[number]): string {
  const after = (call: Sync['call'], known: Sync['known']) =>
    afterEvent({ sync_status: status, exists: true, known, call }, event, every);
  const isPending = pendingOperation({ sync_status: status, exists: true }) !== null;
  if (event === 'call starts' && !isPending) return '';
  const isReport = event !== 'call starts' && event.startsWith('call ');
  if (isReport && !isPending) return '';
  const known = status === 'Creating' ? 'maybe' : 'yes';
  const word = (sync: Sync | null) => (sync === null ? 'refused' : sync.exists ? `\`${sync.sync_status}\`` : 'deleted');
  const usual = word(after(isReport ? 'current' : 'none', known));
  const outdated = isReport ? word(after('outdated', known)) : usual;
  return outdated === usual ? usual : `${usual}; outdated: ${outdated}`;
}

test('the specification has the same table of states and events as the code', () => {
  const page = readFileSync(
    new URL('../../../../../docs/specification/secrets-and-resources.md', import.meta.url),
    'utf8',
  );
  const statuses = SyncStatus.options;
  const rows = [
    `| | ${statuses.map((status) => `\`${status}\``).join(' | ')} |`,
    `| --- | ${statuses.map(() => '---').join(' | ')} |`,
    ...syncEvents.map((event) => `| ${event} | ${statuses.map((status) => cell(status, event)).join(' | ')} |`),
  ];

  expect(page).toContain(rows.join('\n'));
});
