import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { expect, test } from 'vitest';
import { forbidden, permanent, type TaskFailure, transient } from '../outcome/task-failure.ts';
import { explainExit, explainForbidden, obstacleOf } from './explain-exit.ts';

const failed = { code: 1, signal: null };

test('the reason of a failed Helm is its own message, without prefix and warnings', () => {
  const stderr = [
    'level=WARN msg="something else"',
    'Error: execution error at (x/templates/a.yaml:1:3): replicas must be',
    'positive',
  ];

  expect(explainExit(failed, stderr)).toEqual({
    reason: 'execution error at (x/templates/a.yaml:1:3): replicas must be positive',
    kind: 'permanent',
  });
});

test.for([
  'Error: Kubernetes cluster unreachable: Get "https://10.0.0.1/version": dial tcp 10.0.0.1:443: connect: connection refused',
  'Error: UPGRADE FAILED: etcdserver: request timed out',
  'Error: the server is currently unable to handle the request',
  'Error: net/http: TLS handshake timeout',
])('a network error of Helm is an unreachable cluster: %s', (line) => {
  expect(explainExit(failed, [line]).kind).toBe('unreachable');
});

test("Helm's message is found after any number of warnings", () => {
  const stderr = [...Array.from({ length: 300 }, () => 'level=WARN msg=x'), 'Error: the end'];
  expect(explainExit(failed, stderr).reason).toBe('the end');
});

test('a Helm that could not be started is a transient failure', () => {
  expect(explainExit({ code: 127, signal: null }, ['sh: 1: exec: /helm: not found'])).toEqual({
    reason: 'Helm could not be started',
    kind: 'transient',
  });
});

test.for([
  'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress',
  'Error: configmaps "x" is forbidden: unable to create new content in namespace y because it is being terminated',
])('a conflict with other work on the same objects is a transient failure: %s', (line) => {
  expect(explainExit(failed, [line]).kind).toBe('transient');
});

test.for([
  'Error: UPGRADE FAILED: resource Deployment/x/y not ready. status: InProgress, context deadline exceeded',
  'Error: YAML parse error on x/templates/a.yaml',
  'Error: Deployment.apps "x" is invalid: spec.replicas: Invalid value',
  'Error: pods "x" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=4, limited: pods=4',
  'Error: pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged',
])('an error of the chart or the cluster is a permanent failure: %s', (line) => {
  expect(explainExit(failed, [line]).kind).toBe('permanent');
});

test.for([
  'Error: UPGRADE FAILED: could not get information about the resource: secrets "x" is forbidden: User "berth" cannot get resource "secrets" in API group "" in the namespace "y"',
  'Error: services is forbidden: User "system:serviceaccount:berth:berth" cannot watch resource "services" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
  'Error: roles.rbac.authorization.k8s.io "x" is forbidden: user "berth" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
])('a permission that RBAC refuses to Helm is a forbidden failure, not a permanent one: %s', (line) => {
  expect(explainExit(failed, [line]).kind).toBe('forbidden');
});

test.for([
  'create: failed to create: Secret "sh.helm.release.v1.a.v1" is invalid: data: Too long: may not be more than 1048576 bytes',
  'create: failed to create: Secret "sh.helm.release.v1.a.v1": etcdserver: request is too large',
])('a release that is too large to be recorded is a permanent failure with that reason: %s', (line) => {
  const { reason, kind } = explainExit({ code: 1, signal: null }, [`Error: ${line}`]);

  expect(reason).toMatch(/^The chart with its values and manifests is larger than Helm can record: 1 MiB/);
  expect(reason).toContain(line.slice(0, 60));
  expect(kind).toBe('permanent');
});

test('a manifest that is too large for the API server is a permanent failure', () => {
  const said = ['Error: failed to create resource: Request entity too large: limit is 3145728'];

  expect(explainExit({ code: 1, signal: null }, said).kind).toBe('permanent');
});

test('the reason of a failed Helm has at most 500 characters', () => {
  expect(explainExit(failed, [`Error: ${'x'.repeat(2_000)}`]).reason).toHaveLength(500);
});

test('the reason of a killed Helm names the signal', () => {
  expect(explainExit({ code: null, signal: 'SIGKILL' }, [])).toEqual({
    reason: 'Helm was ended by SIGKILL before it had finished',
    kind: 'transient',
  });
});

test.for(['is forbidden: User "', 'forbidden: user "" ', 'forbidden: user "a" '])(
  'explaining a message of 300 KB that repeats %s takes time in proportion to its length',
  (piece) => {
    const message = piece.repeat(300_000 / piece.length);
    const before = process.threadCpuUsage();

    const { kind } = explainExit(failed, [`Error: execution error at (x/templates/a.yaml:1:3): ${message}`]);

    expect(kind).toBe('permanent');
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  },
);

const refusedTo = (what: string) => `services "x" is forbidden: User "system:serviceaccount:a:b" cannot ${what}`;

test.for([
  [
    refusedTo('list resource "secrets" in API group "" at the cluster scope'),
    'The chart tried to list secrets in the whole cluster.',
  ],
  [
    refusedTo('get resource "configmaps" in API group "" in the namespace "kube-system"'),
    'The chart tried to get configmaps in the namespace kube-system.',
  ],
  [
    refusedTo('patch resource "servicemonitors" in API group "monitoring.coreos.com" in the namespace "web-a"'),
    'The chart tried to patch servicemonitors of monitoring.coreos.com in its namespace, which the ClusterRole berth-deployer (deploy/rbac/deployer.yaml) does not allow.',
  ],
  [
    'roles "x" is forbidden: user "b" (groups=["c"]) is attempting to grant RBAC permissions not currently held:',
    'The chart contains a role with rights that its deployment does not have itself.',
  ],
] as const)('the reason for a refused permission says who can grant it: %s', ([message, words]) => {
  expect(explainForbidden(message, 'web-a')).toBe(
    `${words} A chart acts in the namespace of its deployment only; if it needs more, a site admin can grant this kind a ClusterRole in this env (POST /api/v2/cluster-role-grants)`,
  );
});

test.for<[TaskFailure, ReturnType<typeof obstacleOf>]>([
  [forbidden('any'), 'forbidden'],
  [permanent('failed to delete release: web-shop'), 'undeletable'],
  [permanent('context deadline exceeded'), 'timeout'],
  [permanent('timed out waiting for the condition'), 'timeout'],
  [permanent('job web-drain failed: BackoffLimitExceeded'), null],
  [permanent('could not: failed to delete release: web-shop'), null],
  [transient('timed out'), null],
])('workloads can be the cause of a failed uninstall by some messages only: %s', ([failure, obstacle]) => {
  expect(obstacleOf(failure)).toBe(obstacle);
});
