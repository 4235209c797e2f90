import { expect, test } from 'vitest';
import { isNamespaceGone, KubeError, nullIfChanged, nullIfExists, nullIfMissing } from './kube-error.ts';

const refusal = (status: number, reason: string, message = '') =>
  new KubeError({ status, body: JSON.stringify({ reason, message }) });

const missing = refusal(404, 'NotFound');
const exists = refusal(409, 'AlreadyExists');
const changed = refusal(409, 'Conflict');
const forbidden = refusal(403, 'Forbidden');
const lost = new Error('connection lost');

test.for([
  ['nullIfMissing', nullIfMissing, [missing], [exists, changed, forbidden, lost]],
  ['nullIfExists', nullIfExists, [exists], [missing, changed, forbidden, lost]],
  ['nullIfChanged', nullIfChanged, [exists, changed], [missing, forbidden, lost]],
] as const)('%s passes on answers, and all errors but its own', async ([, nullIf, own, others]) => {
  expect(await nullIf(Promise.resolve('answer'))).toBe('answer');
  for (const error of own) expect(await nullIf(Promise.reject(error))).toBeNull();
  for (const error of others) await expect(nullIf(Promise.reject(error))).rejects.toBe(error);
});

const terminating =
  'configmaps "x" is forbidden: unable to create new content in namespace web because it is being terminated';

test.for<[string, boolean, unknown]>([
  ['a creation in a terminating namespace', true, refusal(403, 'Forbidden', terminating)],
  ['a creation in a missing namespace', true, refusal(404, 'NotFound', 'namespaces "web" not found')],
  ['another missing object', false, refusal(404, 'NotFound', 'configmaps "web" not found')],
  ['a missing permission', false, refusal(403, 'Forbidden', 'configmaps is forbidden: User "x" cannot create it')],
  ['an error that is not of the server', false, new Error(terminating)],
])('%s shows that the namespace is gone: %s', ([, isGone, error]) => {
  expect(isNamespaceGone(error)).toBe(isGone);
});
