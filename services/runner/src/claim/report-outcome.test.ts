import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { type ReportOutcomeDeps, reportOutcome } from './report-outcome.ts';

test('a service of the previous version, which refuses the end of Helm, gets the outcome without it', async () => {
  const said: unknown[] = [];
  const bus: ReportOutcomeDeps['bus'] = {
    call: async (_operation, request) => {
      said.push(request);
      if (JSON.stringify(request).includes('helm_ended')) throw new AppError('invalid', 'unrecognized key');
      return JSON.parse('null');
    },
  };
  const lease = { lost: new AbortController().signal, isLost: () => false };
  const outcome = { outcome: 'HandedBack', reason: null, helm_ended: true } as const;

  const recorded = await reportOutcome({ task_id: 'a', fence: 1, request_id: null }, outcome, {
    bus,
    lease,
    withinMs: 1_000,
  });

  const body = { task_id: 'a', fence: 1, outcome: 'HandedBack', reason: null };
  expect(recorded).toBe(true);
  expect(said).toEqual([{ body: { ...body, helm_ended: true } }, { body }]);
});
