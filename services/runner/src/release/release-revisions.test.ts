import { expect, test } from 'vitest';
import { revisionsOf } from './release-revisions.ts';

const labels = (version: string, more: Record<string, string> = {}) => ({
  owner: 'helm',
  name: 'web',
  version,
  'berth-task-id': '0b1c',
  'berth-fence': '3',
  ...more,
});
const record = (version: string) => ({ name: `sh.helm.release.v1.web.v${version}`, labels: labels(version) });

test('revisions of Helm are in the order of their versions, newest first', () => {
  const { own, others } = revisionsOf('web', [record('1'), record('10'), record('9')]);

  expect(own.map(({ version }) => version)).toEqual([10, 9, 1]);
  expect(others).toEqual([]);
});

test.for([
  ['without the labels of Berth', { name: 'sh.helm.release.v1.web.v99', labels: { owner: 'helm', version: '99' } }],
  ['without a fence', { ...record('99'), labels: { ...labels('99'), 'berth-fence': '' } }],
  ['of another name', { name: 'mine', labels: labels('99') }],
  ['of another release', { name: 'sh.helm.release.v1.other.v99', labels: labels('99') }],
  ['whose label has another version', { ...record('98'), labels: labels('99') }],
  ['whose version Helm would not write', record('099')],
  ['whose version is not a number', record('1e9')],
  ['whose version is not a safe integer', record('9999999999')],
  ['without labels', { name: 'sh.helm.release.v1.web.v99' }],
] as const)('a Secret %s is not a revision', ([, forged]) => {
  const { own, others } = revisionsOf('web', [record('3'), forged]);

  expect(own.map(({ version }) => version)).toEqual([3]);
  expect(others).toEqual([forged]);
});
