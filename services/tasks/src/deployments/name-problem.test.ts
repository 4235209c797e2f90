import { describe, expect, test } from 'vitest';
import { nameProblem } from './name-problem.ts';

const naming = { kind: 'Web', name: 'blue', cardinality: 'Many', reserved: ['berth'] } as const;

describe('nameProblem', () => {
  test.for([
    ['accepts a DNS label', naming],
    ['accepts one character', { ...naming, name: '7' }],
    ['accepts a namespace of 53 characters', { ...naming, name: 'x'.repeat(49) }],
    [
      'accepts a kind of 53 characters without a name',
      { kind: 'K'.repeat(53), name: '', cardinality: 'OnePerCluster', reserved: [] },
    ],
    [
      'accepts an empty name if the chart allows one deployment per cluster',
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
    ['refuses an empty name if the chart allows many deployments', { ...naming, name: '' }, 'must not be empty'],
    [
      'refuses a name if the chart allows one deployment per cluster',
      { ...naming, cardinality: 'OnePerCluster' },
      'must be empty',
    ],
    ['refuses a namespace of 54 characters', { ...naming, name: 'x'.repeat(50) }, 'longer than 53'],
    [
      'refuses a kind of 54 characters without a name',
      { kind: 'K'.repeat(54), name: '', cardinality: 'OnePerCluster', reserved: [] },
      'cannot be used with the kind',
    ],
    ['refuses a kind that cannot be part of a namespace', { ...naming, kind: 'My Kind' }, 'not a valid namespace'],
    ['refuses the namespace of the accounts', { ...naming, kind: 'Berth', name: 'deployers' }, 'reserved'],
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
