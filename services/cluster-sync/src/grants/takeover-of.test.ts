import { expect, test } from 'vitest';
import { type Rule, takeoverOf } from './takeover-of.ts';

const rule = (resources: string[], ...verbs: string[]): Rule => ({ apiGroups: ['*'], resources, verbs });

test.for<[string, Rule]>([
  ['all resources', rule(['*'], '*')],
  ['reading Secrets', rule(['secrets'], 'list')],
  ['any verb on Secrets', rule(['secrets'], '*')],
  ['creating tokens', rule(['serviceaccounts/token'], 'create')],
  ['executing in pods', rule(['pods/exec'], 'create')],
  ['the proxy of nodes', rule(['nodes/proxy'], 'get')],
  ['creating pods', rule(['pods'], 'create')],
  ['changing workloads', rule(['deployments'], 'patch')],
  ['creating any resource', rule(['*'], 'create')],
  ['changing namespaces', rule(['namespaces'], 'patch')],
  ['webhooks', rule(['mutatingwebhookconfigurations'], 'create')],
  ['escalating roles', rule(['clusterroles'], 'escalate')],
  ['binding roles', rule(['clusterroles'], 'bind')],
  ['impersonating', rule(['users'], 'impersonate')],
])('a role for %s in the whole cluster amounts to an administrator', ([, rights]) => {
  expect(takeoverOf([rule(['widgets'], 'get'), rights], 'Cluster')).not.toBeNull();
});

test.for<[string, Rule]>([
  ['definitions of resources', rule(['customresourcedefinitions'], '*')],
  ['roles and their bindings, which RBAC limits,', rule(['clusterroles', 'clusterrolebindings'], 'create', 'patch')],
  ['reading pods', rule(['pods'], 'get', 'list', 'watch')],
  ['reading namespaces', rule(['namespaces'], 'get')],
  ['all resources of another group', { apiGroups: ['example.com'], resources: ['*'], verbs: ['*'] }],
  ['paths of the API', { verbs: ['*'] }],
])('a role for %s in the whole cluster can be granted', ([, rights]) => {
  expect(takeoverOf([rights], 'Cluster')).toBeNull();
});

test('in one namespace only the namespace itself and the verbs that pass on rights are refused', () => {
  expect(takeoverOf([rule(['secrets', 'pods'], '*')], 'Namespace')).toBeNull();
  expect(takeoverOf([rule(['namespaces'], 'patch')], 'Namespace')).not.toBeNull();
  expect(takeoverOf([rule(['roles'], 'escalate')], 'Namespace')).not.toBeNull();
});
