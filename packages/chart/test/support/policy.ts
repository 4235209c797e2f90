import { z } from 'zod';
import { type Manifest, podOf } from './helm-in-test.ts';

/** Intended exceptions from rules, with reasons; `broken` records which of them a release uses. */
export const exceptions: Readonly<Record<string, string>> = {
  'Deployment cluster-sync: has a token of Kubernetes': 'it manages the cluster that it runs in',
  'StatefulSet postgresql: postgresql has no livenessProbe':
    'for an evaluation; ending a server that recovers from a crash would make it recover again',
  'ClusterRoleBinding runner-cluster-scoped: binds cluster-admin':
    'only for the transition, for charts with objects outside of namespaces; the value says what it means',
  'ClusterRole cluster-sync: allows bind':
    'only the cluster role of deployments, by its name; it gives each account its own namespace',
  'Namespace deployers: names no namespace':
    'it is one: that of the accounts of deployments, in which nothing else may be',
};

const Resources = z.looseObject({
  requests: z.record(z.string(), z.unknown()).default({}),
  limits: z.record(z.string(), z.unknown()).default({}),
});
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string().optional(),
  resources: Resources.default({ requests: {}, limits: {} }),
  env: z.array(z.looseObject({ name: z.string(), valueFrom: z.looseObject({}).optional() })).default([]),
  securityContext: z
    .looseObject({
      allowPrivilegeEscalation: z.boolean().optional(),
      readOnlyRootFilesystem: z.boolean().optional(),
      privileged: z.boolean().optional(),
      capabilities: z
        .looseObject({ drop: z.array(z.string()).default([]), add: z.array(z.string()).default([]) })
        .optional(),
    })
    .default({}),
});
const Pod = z.looseObject({
  containers: z.array(Container),
  initContainers: z.array(Container).default([]),
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  hostNetwork: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostIPC: z.boolean().optional(),
  securityContext: z
    .looseObject({
      runAsNonRoot: z.boolean().optional(),
      seccompProfile: z.looseObject({ type: z.string() }).optional(),
    })
    .default({}),
  volumes: z
    .array(
      z.looseObject({
        name: z.string(),
        hostPath: z.looseObject({}).optional(),
        emptyDir: z.looseObject({ sizeLimit: z.string().optional() }).optional(),
      }),
    )
    .default([]),
});
type Container = z.infer<typeof Container>;

/** The rules that an object breaks, as `Kind component: rule`. */
export function broken(manifest: Manifest): string[] {
  const { kind, metadata } = manifest;
  const found = [...ofAnyObject(manifest), ...ofPod(manifest), ...ofAccess(manifest), ...ofService(manifest)];
  return found.map((rule) => `${kind} ${shortName(metadata.name)}: ${rule}`);
}

/** Without the names of release and namespace. */
const shortName = (name: string): string =>
  name.replace(/^(ships-)?(harbour-|ship-(berth-)?)/, '').replace(/^deployments-/, 'runner-');

const clusterWide = new Set(['ClusterRole', 'ClusterRoleBinding']);

function* ofAnyObject({ kind, metadata: { namespace, labels } }: Manifest): Generator<string> {
  if (!clusterWide.has(kind) && namespace === undefined) yield 'names no namespace';
  for (const label of ['name', 'instance', 'component', 'part-of', 'managed-by', 'version']) {
    if (!labels?.[`app.kubernetes.io/${label}`]) yield `has no label app.kubernetes.io/${label}`;
  }
}

/** Rules for workloads that run until they are stopped. */
const isServer = (kind: string) => kind === 'Deployment' || kind === 'StatefulSet';

function* ofPod(manifest: Manifest): Generator<string> {
  const spec = podOf(manifest);
  if (!spec) return;
  const pod = Pod.parse(spec);
  if (pod.automountServiceAccountToken !== false) yield 'has a token of Kubernetes';
  if (pod.enableServiceLinks !== false) yield 'has variables for every Service';
  if (pod.hostNetwork || pod.hostPID || pod.hostIPC) yield 'shares namespaces of its node';
  if (pod.securityContext.runAsNonRoot !== true) yield 'may run as root';
  if (pod.securityContext.seccompProfile?.type !== 'RuntimeDefault') yield 'has no seccomp profile';
  if (isServer(manifest.kind) && pod['terminationGracePeriodSeconds'] === undefined) yield 'has no grace period';
  for (const { name, hostPath, emptyDir } of pod.volumes) {
    if (hostPath) yield `mounts a folder of its node as ${name}`;
    // An emptyDir that replaces a claim is not part of the chart.
    if (emptyDir && !emptyDir.sizeLimit && name !== 'data') yield `may fill its node with ${name}`;
  }
  for (const container of [...pod.initContainers, ...pod.containers]) yield* ofContainer(container);
  if (isServer(manifest.kind)) for (const container of pod.containers) yield* ofProbes(container);
}

function* ofContainer({ name, image, imagePullPolicy, resources, env, securityContext }: Container): Generator<string> {
  if (!/(@sha256:[0-9a-f]{64}|:[\w][\w.-]*)$/.test(image) || image.endsWith(':latest'))
    yield `${name} has no fixed image`;
  if (imagePullPolicy === undefined) yield `${name} leaves the pull policy to the tag`;
  for (const resource of ['cpu', 'memory']) {
    if (!(resource in resources.requests)) yield `${name} requests no ${resource}`;
  }
  if (!('memory' in resources.limits)) yield `${name} has no limit of memory`;
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, privileged, capabilities } = securityContext;
  if (allowPrivilegeEscalation !== false || privileged) yield `${name} may gain privileges`;
  if (readOnlyRootFilesystem !== true) yield `${name} can write its root`;
  if (!capabilities?.drop.includes('ALL') || capabilities.add.length > 0) yield `${name} has capabilities`;
  for (const { name: variable, valueFrom } of env) {
    if (valueFrom && 'secretKeyRef' in valueFrom) yield `${name} has a secret in its environment: ${variable}`;
  }
}

function* ofProbes(container: Container): Generator<string> {
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    if (container[probe] === undefined) yield `${container.name} has no ${probe}`;
  }
}

const Rule = z.looseObject({
  apiGroups: z.array(z.string()).default([]),
  resources: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
});
const Access = z.looseObject({
  rules: z.array(Rule).default([]),
  roleRef: z.looseObject({ name: z.string() }).optional(),
  automountServiceAccountToken: z.boolean().optional(),
});

/** Each of these rights makes its holder an administrator or allows impersonation. */
const mighty = new Set(['escalate', 'bind', 'impersonate', '*']);

function* ofAccess({ kind, ...rest }: Manifest): Generator<string> {
  if (kind === 'ServiceAccount' && Access.parse(rest).automountServiceAccountToken !== false) {
    yield 'mounts its token into every pod';
  }
  if (!/Role/.test(kind)) return;
  const { rules, roleRef } = Access.parse(rest);
  if (roleRef?.name === 'cluster-admin') yield 'binds cluster-admin';
  for (const { apiGroups, resources, verbs } of rules) {
    if ([...apiGroups, ...resources].some((name) => name.includes('*'))) yield 'grants a wildcard';
    for (const verb of verbs) if (mighty.has(verb)) yield `allows ${verb}`;
    for (const resource of resources)
      if (/^(nodes\/proxy|pods\/(exec|attach))$/.test(resource)) yield `allows ${resource}`;
  }
}

const Selected = z.looseObject({ spec: z.looseObject({ selector: z.record(z.string(), z.string()) }) });

function* ofService(manifest: Manifest): Generator<string> {
  if (manifest.kind !== 'Service') return;
  const { selector } = Selected.parse(manifest).spec;
  if (selector['app.kubernetes.io/instance'] === undefined) yield 'selects pods of other releases';
}

const Policy = z.looseObject({
  spec: z.looseObject({ podSelector: z.looseObject({ matchLabels: z.record(z.string(), z.string()).default({}) }) }),
});
const Template = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }) }),
  }),
});

/** Pods that only the deny-all policy selects, so they could not communicate. */
export function podsWithoutPolicy(manifests: readonly Manifest[]): string[] {
  const selectors = manifests
    .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && !metadata.name.endsWith('-default-deny'))
    .map((manifest) => Policy.parse(manifest).spec.podSelector.matchLabels);
  return manifests
    .filter((manifest) => podOf(manifest) !== undefined)
    .flatMap((manifest) => {
      const labels: Record<string, string> =
        manifest.kind === 'Pod'
          ? (manifest.metadata.labels ?? {})
          : Template.parse(manifest).spec.template.metadata.labels;
      const isSelected = selectors.some((wanted) =>
        Object.entries(wanted).every(([name, value]) => labels[name] === value),
      );
      return isSelected ? [] : [manifest.metadata.name];
    });
}
