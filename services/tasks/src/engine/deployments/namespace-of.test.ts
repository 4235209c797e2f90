import { expect, test } from 'vitest';
import { namespaceOf } from './namespace-of.ts';

test.for([
  ['lower-cases the kind', 'TwoWords', 'blue', 'twowords-blue'],
  ['is only the kind if the deployment has no name', 'Monitoring', '', 'monitoring'],
  ['turns dots and slashes of a kind into dashes', 'Team/App.v2', 'x', 'team-app-v2-x'],
] as const)('%s', ([, kind, name, namespace]) => {
  expect(namespaceOf(kind, name)).toBe(namespace);
});
