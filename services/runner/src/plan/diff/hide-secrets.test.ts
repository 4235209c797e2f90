import { expect, test } from 'vitest';
import { finderOf } from '../../log/known-secrets.ts';
import { hiddenOf, plannedField } from './hide-secrets.ts';

test('a plan hides a short secret that ends with a line break, even if it is shown without the line break', () => {
  const hidden = hiddenOf({ secrets: { login: { pin: '4711\n' } }, confidential: ['0815\n'] }, finderOf([]));
  const field = (after: string) =>
    plannedField({ path: ['spec', 'a'], before: 'x', after, followsSecret: false }, { isHidden: false }, hidden);

  expect([field('4711'), field('0815')]).toEqual([
    { path: '/spec/a', hidden: true },
    { path: '/spec/a', hidden: true },
  ]);
});
