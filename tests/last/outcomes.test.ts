import { readFileSync } from 'node:fs';
import { missingOutcomes, undeclaredConflicts } from '@berth/testing/contracts/outcomes';
import { describe, expect, test } from 'vitest';

/** Where the tests of this run have recorded the answers to their calls; unset where only some of the files run. */
const file = process.env['TEST_OUTCOMES'];

describe.skipIf(file === undefined)('among all answers that the tests received', () => {
  const recorded = new Set(readFileSync(file ?? '/dev/null', 'utf8').split('\n'));

  test('each public operation has a success and every refusal that its contract declares', () => {
    expect(missingOutcomes(recorded)).toEqual([]);
  });

  test('no operation has a conflict that its contract does not declare', () => {
    expect(undeclaredConflicts(recorded)).toEqual([]);
  });
});
