import { expect, test } from 'vitest';
import { customCause } from './custom-cause.ts';

const metadata = { name: 'cooler', generation: 2 };
const condition = (type: string, status: string, reason?: string, message?: string | null) => ({
  type,
  status,
  reason,
  message,
});
const withConditions = (...conditions: object[]) => ({ metadata, status: { observedGeneration: 2, conditions } });

test.for<[string, unknown, { cause: string; message: string } | null]>([
  ['without a status is ready', { metadata }, null],
  ['that is Ready is ready', withConditions(condition('Ready', 'True', 'Off')), null],
  ['with a condition of another type is ready', withConditions(condition('Synced', 'False', 'Odd')), null],
  [
    'that is not Ready is explained by the reason and message of its condition',
    withConditions(condition('Synced', 'True'), condition('Ready', 'False', 'NoSupply', 'it is off')),
    { cause: 'NoSupply', message: 'NoSupply: it is off' },
  ],
  [
    'of unknown readiness is explained by the reason alone if there is no message',
    withConditions(condition('Ready', 'Unknown', 'Probing', null)),
    { cause: 'Probing', message: 'Probing' },
  ],
  [
    'whose condition has neither reason nor message is not ready',
    withConditions(condition('Ready', 'False')),
    { cause: 'NotReady', message: 'its condition Ready is False' },
  ],
  [
    'that is stalled is explained by that first',
    withConditions(condition('Ready', 'False', 'Later'), condition('Stalled', 'True', undefined, 'no such region')),
    { cause: 'Failed', message: 'no such region' },
  ],
  [
    'that is being reconciled is explained by that',
    withConditions(condition('Reconciling', 'True', 'Creating', 'step 2 of 3')),
    { cause: 'Creating', message: 'Creating: step 2 of 3' },
  ],
  [
    'is not ready if its controller has not observed its last change, whatever its conditions say',
    { metadata, status: { observedGeneration: 1, conditions: [condition('Ready', 'True')] } },
    { cause: 'NotReady', message: 'its controller has observed generation 1 of 2' },
  ],
  [
    'that is being deleted is explained by that',
    { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { cause: 'Terminating', message: 'it is being deleted' },
  ],
  [
    'has a one-line message of bounded length and a cause of one word',
    withConditions(condition('Ready', 'False', 'no word', `a\r\n\u001b[31m${'x'.repeat(1_000_000)}`)),
    { cause: 'NotReady', message: expect.stringMatching(/^no word: a \[31mx{470,495}…$/) },
  ],
  [
    'of another shape is not explained',
    { metadata: [], status: { conditions: 'none', observedGeneration: '7' } },
    null,
  ],
  ['that is not an object is not explained', null, null],
])('a custom resource %s', ([, object, expected]) => {
  expect(customCause(object)).toEqual(expected);
});
