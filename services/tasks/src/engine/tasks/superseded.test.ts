import { effects } from '../../records/variant.ts';
import { expect, test } from 'vitest';
import { supersedable } from './superseded.ts';

test('only a started task that deploys and awaits readiness may be superseded', () => {
  const superseded = (['Pending', 'Started'] as const).flatMap((status) =>
    effects.flatMap((effect) =>
      [false, true]
        .filter((awaits_readiness) => supersedable([{ status, effect, awaits_readiness }]) !== undefined)
        .map((awaits_readiness) => [status, effect, awaits_readiness]),
    ),
  );

  expect(superseded).toEqual([
    ['Started', 'installs', true],
    ['Started', 'repeats', true],
  ]);
});

test('the started one is found behind tasks that wait', () => {
  const waiting = { status: 'Pending', effect: 'installs', awaits_readiness: false } as const;
  const started = { status: 'Started', effect: 'repeats', awaits_readiness: true } as const;

  expect(supersedable([waiting, started])).toBe(started);
  expect(supersedable([waiting])).toBeUndefined();
});
