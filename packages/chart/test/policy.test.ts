import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bundled,
  type HelmInTest,
  type Manifest,
  manifestsOf,
  merged,
  needed,
  startHelm,
} from './support/helm-in-test.ts';
import { broken, podsWithoutPolicy } from './support/policy.ts';

let helm: HelmInTest;
let manifests: Manifest[];
beforeAll(async () => {
  helm = await startHelm();
  const ownCluster = { 'cluster-sync': { ownCluster: { name: 'own' } } };
  manifests = await helm.render(merged(needed, bundled, ownCluster));
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const named = (kind: string, name: string): string => {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name.endsWith(name));
  if (!found) throw new Error(`the release has no ${kind} ${name}`);
  return JSON.stringify(found);
};

/** Breaks one field of an object by replacing a part of its JSON. */
const wrong: [rule: string, kind: string, name: string, from: string | RegExp, to: string][] = [
  ['names no namespace', 'Service', '-nats', '"namespace":"ships",', ''],
  ['has no label app.kubernetes.io/version', 'Service', '-nats', '"app.kubernetes.io/version":"0.1.0",', ''],
  [
    'has a token of Kubernetes',
    'Deployment',
    '-auth',
    '"automountServiceAccountToken":false',
    '"automountServiceAccountToken":true',
  ],
  ['has variables for every Service', 'Deployment', '-auth', '"enableServiceLinks":false,', ''],
  [
    'shares namespaces of its node',
    'Deployment',
    '-auth',
    '"enableServiceLinks"',
    '"hostNetwork":true,"enableServiceLinks"',
  ],
  ['may run as root', 'StatefulSet', '-nats', '"runAsNonRoot":true,', ''],
  ['has no seccomp profile', 'StatefulSet', '-nats', 'RuntimeDefault', 'Unconfined'],
  ['has no grace period', 'StatefulSet', '-nats', '"terminationGracePeriodSeconds":60,', ''],
  ['may fill its node with tmp', 'StatefulSet', '-nats', '"sizeLimit":"64Mi"', '"medium":""'],
  ['mounts a folder of its node as tmp', 'StatefulSet', '-nats', '"emptyDir":', '"hostPath":'],
  [
    'tasks has no fixed image',
    'Deployment',
    '-tasks',
    /"image":"[^"]*berth-tasks:0.1.0"/g,
    '"image":"berth-tasks:latest"',
  ],
  ['nats has no fixed image', 'StatefulSet', '-nats', 'nats:2.12-alpine', 'registry.example.com:5000/nats'],
  ['tasks leaves the pull policy to the tag', 'Deployment', '-tasks', /"imagePullPolicy":"IfNotPresent",/g, ''],
  ['tasks requests no cpu', 'Deployment', '-tasks', /"cpu":"200m",/g, ''],
  ['nats has no limit of memory', 'StatefulSet', '-nats', '"limits":{"memory":"768Mi"}', '"limits":{}'],
  [
    'nats may gain privileges',
    'StatefulSet',
    '-nats',
    '"allowPrivilegeEscalation":false',
    '"allowPrivilegeEscalation":true',
  ],
  [
    'nats can write its root',
    'StatefulSet',
    '-nats',
    '"readOnlyRootFilesystem":true',
    '"readOnlyRootFilesystem":false',
  ],
  ['nats has capabilities', 'StatefulSet', '-nats', '"drop":["ALL"]', '"drop":["NET_RAW"]'],
  ['nats has no livenessProbe', 'StatefulSet', '-nats', '"livenessProbe"', '"otherProbe"'],
  [
    'nats has a secret in its environment: POD_NAME',
    'StatefulSet',
    '-nats',
    '"fieldRef":{"fieldPath":"metadata.name"}',
    '"secretKeyRef":{"name":"a","key":"b"}',
  ],
  [
    'mounts its token into every pod',
    'ServiceAccount',
    '-auth',
    '"automountServiceAccountToken":false',
    '"automountServiceAccountToken":true',
  ],
  ['grants a wildcard', 'ClusterRole', '-cluster-sync', '"apps"', '"*"'],
  ['allows escalate', 'ClusterRole', '-cluster-sync', '"watch"', '"escalate"'],
  ['allows pods/exec', 'ClusterRole', '-cluster-sync', '"pods/log"', '"pods/exec"'],
  [
    'binds cluster-admin',
    'ClusterRoleBinding',
    '-cluster-sync',
    /"name":"[^"]*-cluster-sync"}(?=,"subjects")/,
    '"name":"cluster-admin"}',
  ],
  ['selects pods of other releases', 'Service', '-nats', /"selector":\{[^}]*\}/, '"selector":{"app":"nats"}'],
];

test.for(wrong)('the policy refuses an object that %s (%s %s)', ([rule, kind, name, from, to]) => {
  const text = named(kind, name);
  const changed = text.replace(from, to);
  const [before] = manifestsOf(text);
  const [after] = manifestsOf(changed);

  expect(changed).not.toBe(text);
  const rulesOf = (manifest: Manifest | undefined) =>
    (manifest ? broken(manifest) : []).map((line) => line.replace(/^[^:]*: /, ''));
  expect(rulesOf(before)).not.toContain(rule);
  expect(rulesOf(after)).toContain(rule);
});

test('the policy refuses a pod that network policies do not select', () => {
  expect(podsWithoutPolicy(manifests)).toEqual([]);

  const without = manifests.filter(
    ({ kind, metadata }) => !(kind === 'NetworkPolicy' && metadata.name === 'ship-berth-nats'),
  );

  expect(podsWithoutPolicy(without)).toEqual(['ship-berth-nats']);
});
