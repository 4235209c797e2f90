import { expect, test } from 'vitest';
import { featureWords } from './feature-words.ts';

test.for([
  ['nothing without features', null, []],
  [
    'nothing where all is as usual',
    { ingress: { enabled: false }, cardinality: 'Many', wait: { timeout_secs: 300 } },
    [],
  ],
  ['an ingress', { ingress: { enabled: true } }, ['has an ingress with a host of its own']],
  ['where it reports its status', { status: { path: '/status' } }, ['reports its status at /status']],
  [
    'that it is the only one',
    { cardinality: 'OnePerCluster', reinstall_dependencies: false },
    ['runs once per cluster', 'is not reinstalled when what it uses changes'],
  ],
  ['how long a deploy waits', { wait: { enabled: true, timeout_secs: 600 } }, ['has 600 s to become ready']],
  [
    'that a deploy does not wait',
    { wait: { enabled: false, timeout_secs: 600 } },
    ['is done without waiting for its pods'],
  ],
] as const)('the features of a chart say %s', ([, features, words]) => {
  expect(featureWords(features)).toEqual(words);
});
