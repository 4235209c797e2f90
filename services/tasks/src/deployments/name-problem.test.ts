import { describe, expect, test } from 'vitest';
import { nameProblem } from './name-problem.ts';

const naming = { kind: 'Web', name: 'blue', cardinality: 'Many', reserved: ['berth'] } as const;

describe('nameProblem', () => {
  test.for([
    ['accepts a DNS label', naming],
    ['accepts one character', { ...naming, name: '7' }],
    ['accepts a namespace of 63 characters', { ...naming, name: 'x'.repeat(59) }],
    [
      'accepts no name where there is one deployment per cluster',
      { ...naming, name: '', cardinality: 'OnePerCluster' },
    ],
  ] as const)('%s', ([, input]) => {
    expect(nameProblem(input)).toBeNull();
  });

  test.for([
    ['refuses upper case', { ...naming, name: 'Blue' }, 'DNS label'],
    ['refuses a leading dash', { ...naming, name: '-blue' }, 'DNS label'],
    ['refuses a trailing dash', { ...naming, name: 'blue-' }, 'DNS label'],
    ['refuses a dot', { ...naming, name: 'a.b' }, 'DNS label'],
    ['refuses a line break at the end', { ...naming, name: 'blue\n' }, 'DNS label'],
    ['refuses no name where many are allowed', { ...naming, name: '' }, 'must not be empty'],
    ['refuses a name where one is allowed', { ...naming, cardinality: 'OnePerCluster' }, 'must be empty'],
    ['refuses a namespace of 64 characters', { ...naming, name: 'x'.repeat(60) }, 'longer than 63'],
    ['refuses a kind that is no part of a namespace', { ...naming, kind: 'My Kind' }, 'no valid namespace'],
    ['refuses kube-*', { ...naming, kind: 'Kube', name: 'system' }, 'reserved'],
    ['refuses default', { ...naming, kind: 'Default', name: '', cardinality: 'OnePerCluster' }, 'reserved'],
    [
      'refuses the namespace of the platform',
      { ...naming, kind: 'Berth', name: '', cardinality: 'OnePerCluster' },
      'reserved',
    ],
  ] as const)('%s', ([, input, words]) => {
    expect(nameProblem(input)).toContain(words);
  });
});
