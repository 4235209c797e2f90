import { expect, test } from 'vitest';
import { deploymentState } from './deployment-state.ts';

const healthy = { state: 'Healthy', since: '2026-11-25T10:00:00.000Z', reason: null, causes: [] } as const;

test.for([
  ['a failed task before the workload', { enabled: true, status: 'Error', health: healthy }, 'Failed'],
  ['a running task before the workload', { enabled: true, status: 'Upgrading', health: healthy }, 'Upgrading'],
  ['the workload of what runs', { enabled: true, status: 'Running', health: healthy }, 'Healthy'],
  ['that it is disabled', { enabled: false, status: 'Uninstalled', health: null }, 'Disabled'],
  ['Running before the first report of its cluster', { enabled: true, status: 'Running', health: null }, 'Running'],
] as const)('the word for a deployment names %s', ([, facts, word]) => {
  expect(deploymentState({ ...facts, health: facts.health && { ...facts.health, causes: [] } }).word).toBe(word);
});
