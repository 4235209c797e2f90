import type { CallerName } from '@berth/contracts/definition/contract';
import type { ServiceSettings } from './service-settings.ts';

type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const map: Schema = { type: 'object' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const texts = list({ type: 'string', minLength: 1 });
const strings: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const whole = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const oneOf = (...values: string[]): Schema => ({ enum: values });
const matching = (pattern: string): Schema => ({ type: 'string', pattern });
const orEmpty = (pattern: string): string => `^$|${pattern}`;

/** Refuses unknown members, because misspelled values would otherwise be ignored silently. */
const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

const dnsName = '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$';
const secretName = matching(orEmpty(dnsName));
const secretKey = matching('^[A-Za-z0-9._-]+$');
const secretKeyOrNone = matching(orEmpty('^[A-Za-z0-9._-]+$'));
const httpUrl = '^https?://[^/?#\\s]+[^?#\\s]*$';
const quantity = matching('^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$');
const resources = object({
  requests: map,
  limits: map,
  claims: list(map),
});
const existing = (...keys: string[]): Schema =>
  object({ existingSecret: secretName, ...Object.fromEntries(keys.map((key) => [key, secretKey])) });
const clause = list(map);

const ofEveryPart = (settings: ServiceSettings, autoscaling: Record<string, Schema> = {}): Record<string, Schema> => ({
  global: map,
  replicas: whole(0, 100),
  autoscaling: object({
    enabled: flag,
    minReplicas: whole(1, 100),
    maxReplicas: whole(1, 500),
    targetCPUUtilizationPercentage: whole(1, 1_000),
    ...autoscaling,
  }),
  podDisruptionBudget: object({
    enabled: flag,
    maxUnavailable: { anyOf: [whole(1, 100), matching('^[1-9][0-9]?%$')] },
  }),
  resources,
  topologySpread: flag,
  nodeSelector: strings,
  tolerations: list(map),
  affinity: map,
  priorityClassName: text,
  podLabels: strings,
  podAnnotations: strings,
  serviceAccount: object({ annotations: strings }),
  data: object({ medium: oneOf('', 'Memory'), size: quantity }),
  settings: object(Object.fromEntries(settings.names.map((name) => [name, { type: ['string', 'number', 'boolean'] }]))),
});

const global = object({
  ownUrl: matching(orEmpty(httpUrl)),
  image: object({
    registry: matching(orEmpty('^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._/-]+)?$')),
    tag: matching(orEmpty('^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$')),
    digests: { type: 'object', additionalProperties: matching('^sha256:[0-9a-f]{64}$') },
    pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    pullSecrets: list(object({ name: matching(dnsName) })),
  }),
  postgresql: object({
    bundled: flag,
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
    stateBytes: whole(1024 ** 2, 1024 ** 4),
  }),
  keys: existing(),
  ingress: object({
    enabled: flag,
    className: text,
    annotations: strings,
    hosts: list(matching(dnsName)),
    tls: list(object({ secretName, hosts: list(matching(dnsName)) })),
  }),
  httpRoute: object({ enabled: flag, annotations: strings, parentRefs: list(map), hostnames: list(matching(dnsName)) }),
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
  }),
  tracing: object({ endpoint: matching(orEmpty(httpUrl)), port }),
  listenAddress: matching('^[0-9a-fA-F.:]+$'),
  logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  jobs: object({ resources }),
});

const registry = object({
  type: oneOf('oci', 'helm-repository', 'ecr'),
  url: matching('^https?://[^?#\\s]+$'),
  existingSecret: secretName,
  key: secretKey,
  repositories: texts,
  repository_prefix: text,
  poll_interval_seconds: { type: 'number' },
  recheck_interval_seconds: { type: 'number' },
  allow_http: flag,
  allow_addresses: texts,
  auth_hosts: texts,
  pull_url: matching(httpUrl),
  events_queue: matching(httpUrl),
  dead_letter_queue: matching(httpUrl),
});

/** The values of the umbrella chart. Rules across several values are in templates/_helpers.tpl. */
export function valuesSchema(settings: Record<CallerName, ServiceSettings>): Schema {
  return {
    $schema: 'https://json-schema.org/draft-07/schema#',
    title: 'Values of Berth',
    ...object({
      ownUrlOverride: matching(orEmpty(httpUrl)),
      global,
      'api-gateway': object({
        ...ofEveryPart(settings['api-gateway']),
        trustedProxies: { oneOf: [list(matching('^[0-9a-fA-F.:]+(/[0-9]{1,3})?$')), { const: 'none' }] },
        preStopSeconds: whole(0, 300),
        lingerSeconds: whole(0, 15),
        tls: object({ existingSecret: secretName, clientCa: existing('key') }),
        service: object({
          type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
          port: whole(0, 65_535),
          annotations: strings,
        }),
      }),
      auth: object({
        ...ofEveryPart(settings.auth),
        oidc: object({
          issuer: matching(orEmpty(httpUrl)),
          existingSecret: secretName,
          serverUrlKey: secretKeyOrNone,
          clientIdKey: secretKeyOrNone,
          clientSecretKey: secretKeyOrNone,
          allowHttp: flag,
          port,
        }),
        adminEmails: list(matching('^[^@\\s]+@[^@\\s]+$')),
        otherKeys: existing('key'),
      }),
      tasks: object({
        ...ofEveryPart(settings.tasks),
        reservedNamespaces: list(matching(dnsName)),
        otherKeys: existing('key'),
      }),
      'cluster-sync': object({
        ...ofEveryPart(settings['cluster-sync']),
        kubeconfig: object({ existingSecret: secretName, key: secretKey, contexts: texts }),
        ownCluster: object({ name: { type: 'string', maxLength: 100 }, clusterScoped: flag }),
        clusterSecrets: object({ namespace: secretName }),
        eks: object({ regions: list(matching('^[a-z0-9-]{1,30}$')) }),
        deployersNamespace: { type: 'string', pattern: `^$|${dnsName}`, maxLength: 63 },
        podSecurity: { enum: ['privileged', 'baseline', 'restricted'] },
        sharedRunnerAccount: texts,
        runnerAccount: matching('^[a-z0-9-]{1,63}/[a-z0-9.-]{1,253}$'),
        ignoreNew: flag,
        apiServerPorts: { ...list(port), minItems: 1 },
      }),
      'registry-scan': object({
        ...ofEveryPart(settings['registry-scan']),
        registries: { ...list({ ...registry, required: ['url'] }), maxItems: 100 },
        push: object({ enabled: flag, existingSecret: secretName, key: secretKey }),
        credentialsKey: existing('key'),
        otherKeys: existing('key'),
        registryPorts: { ...list(port), minItems: 1 },
      }),
      runner: object({
        enabled: flag,
        ...ofEveryPart(settings.runner, {
          by: oneOf('cpu', 'keda', 'external'),
          tasksPerReplica: whole(1, 1_000),
          keda: object({ prometheusAddress: matching(orEmpty(httpUrl)) }),
          external: object({ metric: { type: 'string', minLength: 1 } }),
        }),
        concurrency: whole(1, 64),
        calls: object({
          port,
          allowAddresses: list(matching('^[0-9a-fA-F.:]+(/[0-9]{1,3})?$')),
          nameServers: texts,
          ca: existing('key'),
        }),
        apiServerPorts: { ...list(port), minItems: 1 },
      }),
      'berth-lib': map,
      monitoring: object({
        serviceMonitor: object({ enabled: flag, interval: matching('^[0-9]+(ms|s|m)$'), labels: strings }),
        rules: object({ enabled: flag, labels: strings, runbooks: matching('^(https?://.+)?$') }),
        dashboards: object({ enabled: flag, labels: strings }),
      }),
      tests: existing('key'),
      // Berth passes these to every chart that it deploys; this chart, if deployed by Berth, ignores them.
      ...Object.fromEntries(['berth', 'platz', 'ingress', 'nodeSelector', 'tolerations'].map((name) => [name, {}])),
    }),
  };
}
