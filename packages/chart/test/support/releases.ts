import { callerNames } from '@berth/contracts/definition/contract';
import { guideValues } from './gitops-values.ts';
import { bundled, merged, type Values } from './helm-in-test.ts';

const all = ['monitoring.coreos.com/v1', 'keda.sh/v1alpha1', 'gateway.networking.k8s.io/v1'].flatMap((version) => [
  '--api-versions',
  version,
]);

const external: Values = {
  global: {
    image: {
      registry: 'registry.example.com/berth',
      tag: '1.2.3',
      pullSecrets: [{ name: 'pull' }],
      digests: { auth: `sha256:${'a'.repeat(64)}` },
    },
    postgresql: { host: 'db.example.com', ca: { existingSecret: 'db-ca' }, admin: { existingSecret: 'db-admin' } },
    nats: { url: 'tls://one:4222,tls://two:4222', replicas: 3, ca: { existingSecret: 'nats-ca' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      hosts: ['berth.example.com'],
      tls: [{ secretName: 'tls', hosts: ['berth.example.com'] }],
    },
    networkPolicy: {
      postgresql: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
      gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    },
    tracing: { endpoint: 'http://collector:4318' },
  },
  'api-gateway': { trustedProxies: ['10.0.0.0/8'], autoscaling: { enabled: true } },
  auth: { adminEmails: ['ada@example.com'], autoscaling: { enabled: true }, resources: { limits: { cpu: 1 } } },
  tasks: { autoscaling: { enabled: true }, reservedNamespaces: ['vault'], otherKeys: { existingSecret: 'old-keys' } },
  runner: { autoscaling: { enabled: true, by: 'external' }, data: { medium: 'Memory', size: '512Mi' } },
};

const everythingBrought: Values = {
  global: {
    keys: { existingSecret: 'keys' },
    postgresql: { existingSecret: 'database-urls' },
    nats: { url: 'nats://nats.nats:4222', existingSecret: 'nats-passwords' },
    httpRoute: {
      enabled: true,
      parentRefs: [{ name: 'public', namespace: 'gateways' }],
      hostnames: ['berth.example.com'],
    },
  },
  'api-gateway': { trustedProxies: 'none' },
  'cluster-sync': { kubeconfig: { existingSecret: 'clusters', contexts: ['prod', 'test'] }, eks: { regions: ['all'] } },
  'registry-scan': {
    registries: [{ url: 'https://registry.example.com', existingSecret: 'registry', repository_prefix: 'charts/' }],
    push: { enabled: true, existingSecret: 'push' },
  },
  runner: {
    autoscaling: { enabled: true, by: 'keda', keda: { prometheusAddress: 'http://prometheus.monitoring:9090' } },
  },
  monitoring: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboards: { enabled: true } },
  tests: { existingSecret: 'test-token' },
};

const upgrade = ['--is-upgrade'];
export const byOperator: Values = { global: { postgresql: { bundledKind: 'cloudnative-pg' } } };

const ofStorageClass = (storageClassName: string): Values => ({
  global: { postgresql: { storageClassName }, nats: { storageClassName } },
});
export const urlsBrought = { bundled: false, existingSecret: 'database-urls' };
const clustersElsewhere: Values = {
  'cluster-sync': { clusterSecrets: { namespace: 'clusters' }, eks: { regions: ['eu-central-1'] } },
};
const gatewayTls = (values: Values = {}): Values => ({
  'api-gateway': merged({ tls: { existingSecret: 'gateway-tls' } }, values),
});
const runnersBy = (by: string): Values => ({
  runner: { autoscaling: { enabled: true, by, keda: { prometheusAddress: 'http://prometheus.monitoring:9090' } } },
});
const peers = [{ ipBlock: { cidr: '10.0.0.0/8' } }, { namespaceSelector: { matchLabels: { name: 'servers' } } }];
const narrow = Object.fromEntries(
  ['gatewayFrom', 'pushFrom', 'metricsFrom', 'postgresql', 'nats', 'oidc', 'clusters', 'registries'].map((name) => [
    name,
    peers,
  ]),
);
const pushed: Values = {
  'registry-scan': {
    registries: [{ url: 'https://one.example.com' }, { url: 'https://two.example.com', existingSecret: 'two' }],
    push: { enabled: true, existingSecret: 'push' },
  },
};
const placed: Values = {
  nodeSelector: { pool: 'berth' },
  tolerations: [{ key: 'berth', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }],
      },
    },
  },
  podLabels: { team: 'platform' },
  podAnnotations: { 'example.com/a': 'b' },
  serviceAccount: { annotations: { 'example.com/role': 'berth' } },
};
const probe = { tcpSocket: { port: 1 } };
const sidecar = {
  name: 'sidecar',
  image: 'registry.example.com/sidecar:1.0.0',
  imagePullPolicy: 'IfNotPresent',
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const extended: Values = {
  annotations: { 'example.com/owner': 'platform' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/berth' }, labels: { a: 'b' } },
  strategy: { type: 'Recreate' },
  revisionHistoryLimit: 1,
  probes: { startup: { failureThreshold: 300 }, liveness: { periodSeconds: 30 }, readiness: { timeoutSeconds: 9 } },
  podSecurityContext: { supplementalGroups: [2000] },
  containerSecurityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  extraEnv: [{ name: 'AWS_REGION', value: 'eu-central-1' }],
  extraEnvFrom: [{ configMapRef: { name: 'more', optional: true } }],
  extraVolumes: [{ name: 'more', configMap: { name: 'more' } }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more', readOnly: true }],
  extraInitContainers: [{ ...sidecar, name: 'before' }],
  extraContainers: [{ ...sidecar, startupProbe: probe, livenessProbe: probe, readinessProbe: probe }],
  podSpec: {
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['id.example.com'] }],
    dnsConfig: { options: [{ name: 'ndots' }] },
  },
};
const outgoing: Values = {
  global: {
    caBundle: { existingConfigMap: 'authorities', key: 'bundle.pem' },
    proxy: {
      https: 'http://proxy.example.com:3128',
      http: 'http://proxy.example.com:8080',
      noProxy: ['10.96.0.1', '.example.com'],
    },
  },
};
const certificate = { enabled: true, issuerRef: { kind: 'ClusterIssuer', name: 'letsencrypt' }, duration: '2160h' };
const { issuerRef, duration } = certificate;
const certificatesInside = {
  global: { nats: { servers: 3, replicas: 3, tls: { issuerRef, duration } }, metricsTls: { issuerRef, duration } },
};
const broughtCertificates = {
  global: { nats: { tls: { existingSecret: 'nats-tls' } }, metricsTls: { existingSecret: 'metrics-tls' } },
};
const monitored: Values = { monitoring: { serviceMonitor: { enabled: true } } };
const keysReplaced: Values = {
  auth: { otherKeys: { existingSecret: 'old-keys' } },
  tasks: { otherKeys: { existingSecret: 'old-keys' } },
};

const ownCluster: Values = {
  'cluster-sync': {
    ownCluster: { name: 'own', clusterScoped: true },
    sharedRunnerAccount: ['all'],
    clusterSecrets: { namespace: 'clusters' },
  },
};

const { nodeSelector, tolerations, affinity } = placed;
const placement = { nodeSelector, tolerations, affinity };
const broughtForTrial = {
  trial: false,
  keys: { existingSecret: 'keys' },
  postgresql: { existingSecret: 'urls' },
};

const everyPart = ['api-gateway', 'auth', 'tasks', 'cluster-sync', 'registry-scan', 'runner'];
const inEveryPart = (values: Values): Values => Object.fromEntries(everyPart.map((part) => [part, values]));
const inGlobal = (global: Values): Values => ({ global });
const ingress = { enabled: true, hosts: ['berth.example.com'] };
const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }] };
const inFront = (global: Values): Values => ({ global, 'api-gateway': { trustedProxies: ['10.0.0.0/8'] } });

const users = callerNames.flatMap((name) => (name === 'runner' ? [name] : [name, `${name}-streams`]));
const nkeys = Object.fromEntries(users.map((user, index) => [user, `U${'ABCDEFGHIJKLMNOP'.charAt(index).repeat(55)}`]));

/** Releases by what is special about them, with the arguments of Helm that stand for their cluster or moment. */
export const releases: readonly [string, Values, readonly string[]][] = [
  ['with servers of its own', bundled, []],
  ['with three NATS servers', merged(bundled, inGlobal({ nats: { servers: 3, replicas: 3 } })), []],
  ['with three NATS servers, in an upgrade', merged(bundled, inGlobal({ nats: { servers: 3, replicas: 3 } })), upgrade],
  ['with PostgreSQL by CloudNativePG', merged(bundled, byOperator), []],
  ['with volumes of a storage class', merged(bundled, ofStorageClass('fast')), []],
  ['with volumes of a storage class by CloudNativePG', merged(bundled, byOperator, ofStorageClass('fast')), []],
  ['with external servers', external, []],
  ['with external servers, in an upgrade', merged(external, ownCluster), upgrade],
  ['with everything brought', everythingBrought, all],
  ['with all servers external, in an upgrade', everythingBrought, [...all, ...upgrade]],
  ['with external PostgreSQL and bundled NATS', merged(bundled, inGlobal({ postgresql: urlsBrought })), []],
  ['with its own cluster as one of its clusters', merged(bundled, ownCluster), []],
  ['with clusters of labelled Secrets and of EKS', merged(bundled, clustersElsewhere), []],
  ['with an ingress without TLS', merged(bundled, inFront({ ownUrl: '', ingress })), []],
  [
    'with an ingress of two hosts',
    merged(
      bundled,
      inFront({ ingress: { ...ingress, hosts: ['a.example.com', 'b.example.com'], annotations: { a: 'b' } } }),
    ),
    [],
  ],
  ['with a Gateway', merged(bundled, inFront({ httpRoute: { ...httpRoute, annotations: { a: 'b' } } })), all],
  ['with an ingress and a Gateway', merged(bundled, inFront({ ingress, httpRoute })), all],
  [
    'with TLS at the gateway',
    merged(bundled, gatewayTls({ service: { type: 'LoadBalancer', annotations: { a: 'b' } } })),
    [],
  ],
  [
    'with TLS at the gateway behind an ingress and a Gateway',
    merged(bundled, inFront({ ingress, httpRoute }), gatewayTls()),
    all,
  ],
  [
    'with certificates of clients',
    merged(bundled, gatewayTls({ tls: { clientCa: { existingSecret: 'clients' } } })),
    [],
  ],
  ['with every part scaled by its load', merged(bundled, inEveryPart({ autoscaling: { enabled: true } })), []],
  ['with runners scaled by KEDA', merged(bundled, runnersBy('keda')), all],
  ['with runners scaled by an external metric', merged(bundled, runnersBy('external')), []],
  [
    'with monitors alone',
    merged(bundled, { monitoring: { serviceMonitor: { enabled: true, labels: { a: 'b' } } } }),
    all,
  ],
  ['with alerts alone', merged(bundled, { monitoring: { rules: { enabled: true } } }), all],
  [
    'with alerts whose runbooks are on a page of its own',
    merged(bundled, { monitoring: { rules: { enabled: true, runbooks: 'https://wiki.example.com/berth/runbooks' } } }),
    all,
  ],
  ['with a NATS that has public keys', merged(external, inGlobal({ nats: { existingSecret: 'seeds', nkeys } })), []],
  ['with everything for a GitOps tool', await guideValues(), []],
  ['with dashboards alone', merged(bundled, { monitoring: { dashboards: { enabled: true } } }), []],
  ['with no runners', merged(bundled, { runner: { enabled: false } }), []],
  ['with one pod of each part', merged(bundled, inEveryPart({ replicas: 1, topologySpread: false })), []],
  ['with no disruption budgets', merged(bundled, inEveryPart({ podDisruptionBudget: { enabled: false } })), []],
  ['with no network policies', merged(bundled, inGlobal({ networkPolicy: { enabled: false } })), []],
  ['with narrow network policies', merged(external, inGlobal({ networkPolicy: narrow }), pushed), []],
  ['with pods placed on nodes', merged(bundled, inEveryPart(placed)), []],
  [
    'with traces, on IPv6',
    merged(bundled, inGlobal({ tracing: { endpoint: 'http://traces:4318' }, listenAddress: '::' })),
    [],
  ],
  ['with keys that are being replaced', merged(bundled, keysReplaced), upgrade],
  ['with registries and their push events', merged(bundled, pushed), []],
  ['with everything that its operators add to its parts', merged(bundled, inEveryPart(extended)), []],
  ['with authorities and a proxy of its own', merged(bundled, outgoing), []],
  ['with authorities of a Secret', merged(bundled, inGlobal({ caBundle: { existingSecret: 'authorities' } })), upgrade],
  ['with users that the cluster chooses', merged(bundled, inGlobal({ runAsAnyUser: true })), []],
  [
    'with names and labels of its own',
    merged(bundled, inGlobal({ fullnameOverride: 'harbour', labels: { team: 'a' } })),
    [],
  ],
  ['placed as a whole, in an upgrade', merged(bundled, inGlobal(placement)), upgrade],
  ['with a certificate by cert-manager', merged(bundled, inFront({ ingress, certificate })), []],
  ['with certificates inside by cert-manager', merged(bundled, certificatesInside, monitored), all],
  ['with certificates inside that were brought', merged(bundled, broughtCertificates), upgrade],
  [
    'with a Gateway that checks its certificate',
    merged(
      bundled,
      inFront({
        httpRoute: { ...httpRoute, hostnames: ['berth.example.com'], backendTls: { enabled: true, caConfigMap: 'ca' } },
      }),
      gatewayTls(),
    ),
    all,
  ],
  [
    'for an evaluation with Secrets that were brought',
    merged(bundled, inGlobal({ ...broughtForTrial, nats: { existingSecret: 'nats', servers: 3, replicas: 3 } })),
    [],
  ],
  [
    'with URLs that were brought for roles that it makes',
    merged(bundled, inGlobal({ postgresql: { ...urlsBrought, admin: { existingSecret: 'admin' } } })),
    [],
  ],
];
