import { expect, test } from 'vitest';
import { messageOf, reasonWords } from './reason-words.ts';

const pods =
  'Deployment web: 1 of 2 pods updated; 1 pod unschedulable: 0/3 nodes are available: 3 Insufficient cpu. No claims';

test('a long reason is split after its first clause', () => {
  const head = 'Upgrade failed: The release did not become ready within 120 s';
  expect(reasonWords(`${head}: ${pods}`)).toEqual({ head: `${head}.`, rest: pods });
});

test.for([
  ['a short one', 'Task: timed out; retry it.'],
  ['a long one of a single clause', 'x'.repeat(300)],
] as const)('%s is said whole', ([, reason]) => {
  expect(reasonWords(reason)).toEqual({ head: reason, rest: '' });
});

test.for([
  ['Unschedulable', 'unschedulable: 0/3 nodes', '0/3 nodes'],
  ['Progressing', 'it is being rolled out', 'it is being rolled out'],
] as const)('the message of %s does not repeat it', ([cause, message, words]) => {
  expect(messageOf({ cause, message })).toBe(words);
});
