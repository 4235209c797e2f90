import { expect, test } from 'vitest';
import { bulkActions, resultWord } from './bulk-action.ts';

const done = (taskCount: number) => ({ ok: true, value: null, etag: null, taskIds: [], taskCount }) as const;
const refused = { ok: false, problem: { detail: 'Its cluster is ignored' } } as never;

test.for([
  ['one task', [done(1)], 'queued'],
  ['several tasks', [done(1), done(1)], '2 tasks queued'],
  ['a change that changes nothing', [done(0)], 'nothing to do'],
  ['a deployment that has nothing to restart', [], 'nothing to do'],
  ['a refusal', [refused], 'refused: Its cluster is ignored'],
  ['a refusal after the first task', [done(1), refused], 'queued, then refused: Its cluster is ignored'],
] as const)('the result of a bulk action says %s', ([, answers, words]) => {
  expect(resultWord(answers)).toBe(words);
});

const row = (enabled: boolean) => ({ enabled }) as never;
const may = (allowed: boolean) => (() => ({ allowed, needs: 'a maintainer' })) as never;

test.for([
  ['a disabled deployment', false, true, 'it is disabled'],
  ['a deployment of a kind that the viewer does not maintain', true, false, 'for a maintainer'],
] as const)('a bulk restart leaves out %s, and says why', ([, enabled, allowed, why]) => {
  const restart = bulkActions.find(({ verb }) => verb === 'Restart');
  expect(restart?.unless(row(enabled), may(allowed))).toBe(why);
  expect(restart?.unless(row(true), may(true))).toBeUndefined();
});
