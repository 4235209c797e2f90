import { expect, test } from 'vitest';
import { exploredStates, walkedStates } from '@berth/testing/identity-leases/explored-states';
import { type Rule, rules } from '@berth/testing/identity-leases/protocol-rules';

// The length of a lease, and of the wait for one, in steps of the clock.
const least = { gateways: 1, changes: 1, leaseTicks: 2 };
/** Pure computation that takes seconds, and much longer on a busy machine. */
const patienceMs = 180_000;

test.for([
  ['one gateway and one change at a time', least],
  ['one gateway and two changes at a time', { ...least, changes: 2, leaseTicks: 1 }],
  ['two gateways and one change at a time', { ...least, gateways: 2, leaseTicks: 1 }],
] as const)(
  'whatever the order of steps, a removed right is never used after the answer: %s',
  { timeout: patienceMs },
  ([, size]) => {
    const { violation, states } = exploredStates(size);

    expect(violation).toBeNull();
    // Shows that the search has reached the states in question.
    expect(states).toBeGreaterThan(2_000);
  },
);

test('in thousands of orders of steps with two gateways and two changes at a time, a removed right is never used after the answer', {
  timeout: patienceMs,
}, () => {
  const { violation, states } = walkedStates({ ...least, gateways: 2, changes: 2 }, { walks: 3_000, steps: 40 });

  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(10_000);
});

test.for(Object.keys(rules) as Rule[])('a removed right is used after the answer unless %s', (rule) => {
  expect(exploredStates(least, { without: rule }).violation).not.toBeNull();
});
