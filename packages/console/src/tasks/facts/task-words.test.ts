import { describe, expect, it } from 'vitest';
import { actorOf, requestReason, taskWords } from './task-words.ts';

const versionOf = (id: string) => ({ a: '1.0.0', b: '2.0.0' })[id];
const run = { config_inputs: {}, values_override: null };
const upgrade = (from: string, to: string, more = {}) => ({
  operation: { Upgrade: { ...run, helm_chart_id: to, prev_helm_chart_id: from, config_delta: null, ...more } },
});

describe('the words for a task', () => {
  it('name the version that it deploys, once that is known', () => {
    expect(taskWords({ operation: { Install: { ...run, helm_chart_id: 'a' } } }, versionOf)).toBe('Install 1.0.0');
    expect(taskWords(upgrade('a', 'b'), versionOf)).toBe('Upgrade to 2.0.0');
    expect(taskWords(upgrade('a', 'c'), versionOf)).toBe('Upgrade');
  });

  it('distinguish a change of inputs and a rollback from an upgrade', () => {
    expect(taskWords(upgrade('a', 'a'), versionOf)).toBe('Upgrade with other inputs');
    expect(taskWords(upgrade('b', 'a', { rollback_to_task_id: 't' }), versionOf)).toBe('Roll back to 1.0.0');
  });

  it('say what other operations are for', () => {
    const restart = { RestartK8sResource: { resource_id: 'r', resource_name: 'web' } };
    expect(taskWords({ operation: restart }, versionOf)).toBe('Restart web');
    expect(taskWords({ operation: { Uninstall: {} } }, versionOf)).toBe('Uninstall');
    expect(requestReason({ operation: { Reinstall: { reason: 'a node moved' } } })).toBe('a node moved');
    expect(requestReason({ operation: { Uninstall: {} } })).toBeNull();
  });

  it('name who asked for it', () => {
    const names = { user: (id: string) => `user ${id}`, deployment: (id: string) => `deployment ${id}` };
    expect(actorOf({ acting_user_id: '1', acting_deployment_id: null }, names)).toBe('user 1');
    expect(actorOf({ acting_user_id: null, acting_deployment_id: '2' }, names)).toBe('deployment 2');
    expect(actorOf({ acting_user_id: null, acting_deployment_id: null }, names)).toBe('Berth or a bot');
  });
});
