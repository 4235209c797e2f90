import { AnswerTooLarge, KubeError } from '@berth/kube/kube-error';
import { expect, test } from 'vitest';
import { ListTooLarge } from '../kube/list-too-large.ts';
import { retryAfterOf } from './retry-after.ts';

test.for([
  ['an answer that is too large', new AnswerTooLarge(1), 60_000],
  ['a list that is too large', new ListTooLarge(1, 'too large'), 60_000],
  ['an overloaded server', new KubeError({ status: 429, body: '', retryAfter: '7' }), 7_000],
  ['a server that fails', new KubeError({ status: 500, body: '' }), null],
  ['a connection that is cut', new Error('cut'), null],
] as const)('after %s the pause follows from the failure', ([, error, pauseMs]) => {
  expect(retryAfterOf(error)).toBe(pauseMs);
});
