import { expect, test } from 'vitest';
import { kindAndNames, kindNamed } from './kind-named.ts';

test.for([
  ['a letter too few', 'deploments', 'did you mean `deployments`?'],
  ['two letters swapped', 'evns', 'did you mean `envs`?'],
  ['a beginning', 'cl', 'did you mean `clusters`?'],
  ['a beginning of several', 'res', 'did you mean `resources` or `resource-types`?'],
  ['the word of another tool', 'pods', 'did you mean `objects`?'],
  ['a property that every object has', 'constructor', 'known are: deployments, tasks,'],
  ['a word that nothing resembles', 'pancakes', 'known are: deployments, tasks,'],
] as const)('a kind that is misspelt is refused with what may be meant: %s', ([, word, words]) => {
  expect(() => kindNamed(word)).toThrow(`there is no kind ${word}; ${words}`);
});

test('a kind is known by each of its names, in any case', () => {
  expect(['deployments', 'Deployment', 'deploy'].map((name) => kindNamed(name).resource)).toEqual(
    Array.from({ length: 3 }, () => 'deployments'),
  );
});

test.for([
  [
    ['deployment', 'web', 'api'],
    ['web', 'api'],
  ],
  [
    ['deployment/web', 'api'],
    ['web', 'api'],
  ],
  [['deployments'], []],
] as const)('%j gives a kind and names', ([given, names]) => {
  expect(kindAndNames(given)).toMatchObject({ kind: { resource: 'deployments' }, names });
});
