import { expect, test } from 'vitest';
import { adoptableRevision, stateProblem } from './adoptable-revision.ts';

const record = (version: number, { release = 'web', labels = {} }: { release?: string; labels?: object } = {}) => ({
  name: `sh.helm.release.v1.${release}.v${version}`,
  labels: { owner: 'helm', name: release, version: String(version), ...labels },
});

test('the newest revision of a release that somebody else manages by Helm may be adopted', () => {
  expect(adoptableRevision('web', [record(9), record(10), record(2)])).toEqual({
    newest: 'sh.helm.release.v1.web.v10',
    version: 10,
  });
});

test.for([
  ['there is none', [], { missing: expect.stringMatching(/no Helm release web/) }],
  ['a Secret only looks like one', [{ ...record(1), name: 'mine' }], { missing: expect.stringMatching(/no Helm/) }],
  ['there are too many', null, { conflict: expect.stringMatching(/too many/) }],
  [
    'there are others beside it',
    [record(1), record(1, { release: 'db' }), record(3, { release: 'cache' })],
    { conflict: expect.stringMatching(/releases cache, db;/) },
  ],
  ['Berth has adopted it already', [record(1), record(2, { labels: { 'berth-task-id': 'x' } })], 'adopted'],
] as const)('a release is not adopted if %s', ([, found, expected]) => {
  expect(adoptableRevision('web', found && [...found])).toEqual(expected);
});

test.for([
  ['deployed', null],
  ['failed', null],
  ['superseded', null],
  ['uninstalled', { missing: expect.stringMatching(/is uninstalled/) }],
  ['pending-upgrade', { conflict: expect.stringMatching(/Another Helm works on the release web \(pending-upgrade\)/) }],
  ['', { conflict: expect.any(String) }],
] as const)(
  'a release in the state "%s" is adopted only if no Helm works on it and it is there',
  ([status, problem]) => {
    expect(stateProblem('web', status)).toEqual(problem);
  },
);
