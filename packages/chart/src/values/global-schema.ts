import {
  dnsName,
  existing,
  flag,
  httpUrl,
  list,
  map,
  matching,
  object,
  oneOf,
  orEmpty,
  port,
  quantity,
  resources,
  type Schema,
  secretKey,
  secretName,
  strings,
  text,
  texts,
  whole,
} from './schema.ts';

const clause = list(map);
const objectName = matching(orEmpty('^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'));

const duration = matching(orEmpty('^[0-9]+h$'));
/** A Secret with a certificate: one that exists, or that cert-manager writes. */
const ofCertManager = object({ existingSecret: secretName, issuerRef: strings, duration });

const members: Record<string, Schema> = {
  ownUrl: matching(orEmpty(httpUrl)),
  trial: flag,
  nameOverride: objectName,
  fullnameOverride: objectName,
  labels: strings,
  image: object({
    registry: matching(orEmpty('^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._/-]+)?$')),
    tag: matching(orEmpty('^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$')),
    digests: { type: 'object', additionalProperties: matching('^sha256:[0-9a-f]{64}$') },
    pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    pullSecrets: list(object({ name: matching(dnsName) })),
  }),
  nodeSelector: strings,
  tolerations: list(map),
  affinity: map,
  priorityClassName: text,
  runAsAnyUser: flag,
  secretsRevision: text,
  caBundle: object({ existingSecret: secretName, existingConfigMap: secretName, key: secretKey }),
  proxy: object({
    https: matching(orEmpty(httpUrl)),
    http: matching(orEmpty(httpUrl)),
    existingSecret: secretName,
    noProxy: texts,
  }),
  postgresql: object({
    bundled: flag,
    bundledKind: oneOf('pod', 'cloudnative-pg'),
    image: { type: 'string', minLength: 1 },
    storage: quantity,
    storageClassName: text,
    host: matching(orEmpty('^[A-Za-z0-9.:-]+$')),
    port,
    database: matching('^[a-z_][a-z0-9_-]{0,62}$'),
    sslMode: oneOf('disable', 'require', 'verify-ca', 'verify-full'),
    ca: existing('key'),
    admin: existing('key'),
    rolePrefix: matching('^[a-z_][a-z0-9_]{0,40}$|^$'),
    existingSecret: secretName,
  }),
  nats: object({
    bundled: flag,
    image: { type: 'string', minLength: 1 },
    servers: { enum: [1, 3] },
    replicas: { enum: [1, 3, 5] },
    storage: quantity,
    storageClassName: text,
    url: matching(orEmpty('^(nats|tls)://[^,\\s]+(,\\s*(nats|tls)://[^,\\s]+)*$')),
    ca: existing('key'),
    existingSecret: secretName,
    tls: ofCertManager,
    nkeys: { type: 'object', additionalProperties: matching('^U[A-Z2-7]{55}$') },
    stateBytes: whole(1024 ** 2, 1024 ** 4),
  }),
  metricsTls: ofCertManager,
  keys: existing(),
  ingress: object({
    enabled: flag,
    className: text,
    annotations: strings,
    hosts: list(matching(dnsName)),
    tls: list(object({ secretName, hosts: list(matching(dnsName)) })),
  }),
  httpRoute: object({
    enabled: flag,
    annotations: strings,
    parentRefs: list(map),
    hostnames: list(matching(dnsName)),
    backendTls: object({ enabled: flag, caConfigMap: secretName }),
  }),
  certificate: object({
    enabled: flag,
    secretName: matching(dnsName),
    issuerRef: strings,
    duration,
  }),
  networkPolicy: object({
    enabled: flag,
    gatewayFrom: clause,
    pushFrom: clause,
    metricsFrom: clause,
    natsFrom: clause,
    postgresql: clause,
    nats: clause,
    oidc: clause,
    clusters: clause,
    registries: clause,
    proxy: clause,
  }),
  tracing: object({ endpoint: matching(orEmpty(httpUrl)), port: whole(0, 65_535) }),
  listenAddress: matching('^[0-9a-fA-F.:]+$'),
  logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  jobs: object({ resources, deadlineSeconds: whole(60, 86_400), annotations: strings }),
};

/**
 * The schema of `global`, the values that several parts read; `values-schema.ts` has those of each part. Unlike elsewhere, other keys
 * are allowed: a chart that has this one as a dependency may keep values of its own in `global`.
 */
export const globalSchema: Schema = { type: 'object', properties: members };
