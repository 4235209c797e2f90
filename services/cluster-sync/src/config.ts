import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { auditSettings } from '@berth/db/audit/audit-retention';
import { allowedFields } from '@berth/kube/kube-access';
import { z } from 'zod';
import { usualDeployersNamespace } from './access/deployer-account.ts';
import { podSecurityLevels } from './namespaces/pod-security.ts';

const seconds = (fallback: number) =>
  z.coerce
    .number()
    .positive()
    .max(86_400)
    .default(fallback)
    .transform((value) => value * 1000);

const list = <T extends z.ZodType<string, string>>(entry: T) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(entry));

export const Config = z
  .object({
    ...busSettings,
    ...auditSettings,
    DATABASE_URL: z.url(),
    /** A kubeconfig whose contexts become clusters. */
    CLUSTER_KUBECONFIG: z.string().min(1).optional(),
    /** The contexts to use, separated by commas; by default all. */
    CLUSTER_CONTEXTS: list(z.string()),
    /** Fields of a kubeconfig that are refused unless they are listed here, separated by commas. */
    CLUSTER_KUBECONFIG_ALLOW: list(z.enum(allowedFields)),
    /** The absolute paths of programs that `exec` may name if it is allowed, separated by commas. */
    CLUSTER_KUBECONFIG_EXEC_COMMANDS: list(z.string().startsWith('/')),
    /** The name of the cluster that this service runs in, if it is to be one of the clusters. */
    CLUSTER_OWN_NAME: z.string().min(1).max(100).optional(),
    /** A namespace of the cluster that this service runs in: its Secrets with the label `berth.dev/cluster=true` hold kubeconfigs. */
    CLUSTER_SECRETS_NAMESPACE: z.string().min(1).max(63).optional(),
    /** Where Kubernetes mounts the service account, and the address of its API server. */
    CLUSTER_SERVICE_ACCOUNT_FOLDER: z.string().min(1).default('/var/run/secrets/kubernetes.io/serviceaccount'),
    KUBERNETES_SERVICE_HOST: z.string().min(1).optional(),
    KUBERNETES_SERVICE_PORT: z
      .string()
      .regex(/^\d{1,5}$/)
      .default('443'),
    /** Regions whose EKS clusters are found, separated by commas; `all`: every region that is enabled for the account. */
    CLUSTER_EKS_REGIONS: list(z.string().regex(/^[a-z0-9-]{1,30}$/)),
    CLUSTER_EKS_SECONDS: seconds(300),
    /** A removed setting, which gave deployments the rights of this service. Tasks of the clusters that it names wait. */
    CLUSTER_RUNNER_OWN_CREDENTIALS: list(z.string().min(1)),
    /** The namespace in each cluster that holds the accounts of deployments, and nothing else. */
    CLUSTER_DEPLOYERS_NAMESPACE: z
      .string()
      .regex(
        /^(?!kube-|default$)[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/,
        'must be the name of a namespace that holds nothing else',
      )
      .default(usualDeployersNamespace),
    /** The level of the Pod Security Standards for pods of deployments. */
    CLUSTER_POD_SECURITY: z.enum(podSecurityLevels).default('baseline'),
    /** Transition: clusters, by `provider_id`, or `all`, whose deployments still share the account of the previous version. */
    CLUSTER_SHARED_RUNNER_ACCOUNT: list(z.string().min(1)),
    /** That account, as `namespace/name`. */
    CLUSTER_RUNNER_ACCOUNT: z
      .string()
      .regex(/^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/, 'must be the namespace and name of an account, as namespace/name')
      .default('berth-system/berth-runner')
      .transform((text) => {
        const [namespace = '', name = ''] = text.split('/');
        return { namespace, name };
      }),
    /** Whether a discovered cluster is ignored until a site admin changes that. */
    CLUSTERS_IGNORE_NEW: z.stringbool().default(true),
    CLUSTER_REDISCOVER_SECONDS: seconds(10),
    CLUSTER_RESYNC_SECONDS: seconds(600),
    /** Lifetime of the access that runners get; a cluster grants at least 10 minutes. */
    CLUSTER_ACCESS_SECONDS: z.coerce.number().int().min(600).max(14_400).default(14_400),
    /** The most `service-creds` Secrets written per second in one cluster. 10,000 deployments need 9. */
    CREDENTIAL_WRITES_PER_SECOND: z.coerce.number().min(0.1).max(1000).default(20),
  })
  .refine(
    (env) =>
      env.KUBERNETES_SERVICE_HOST !== undefined ||
      (env.CLUSTER_OWN_NAME === undefined && env.CLUSTER_SECRETS_NAMESPACE === undefined),
    { path: ['KUBERNETES_SERVICE_HOST'], error: 'is needed for the cluster that this service runs in' },
  )
  .refine((env) => env.CLUSTER_DEPLOYERS_NAMESPACE !== env.CLUSTER_SECRETS_NAMESPACE, {
    path: ['CLUSTER_DEPLOYERS_NAMESPACE'],
    error: 'must hold nothing but accounts: it is that of CLUSTER_SECRETS_NAMESPACE',
  })
  .refine((env) => !env.CLUSTER_KUBECONFIG_ALLOW.includes('exec') || env.CLUSTER_KUBECONFIG_EXEC_COMMANDS.length > 0, {
    path: ['CLUSTER_KUBECONFIG_EXEC_COMMANDS'],
    error: 'names the programs that exec may run; without it exec is useless',
  })
  .transform((env) => ({
    bus: busOptions(env),
    auditDays: env.AUDIT_RETENTION_DAYS,
    databaseUrl: env.DATABASE_URL,
    kubeconfig: env.CLUSTER_KUBECONFIG,
    contexts: env.CLUSTER_CONTEXTS.length > 0 ? env.CLUSTER_CONTEXTS : null,
    allowed: new Set(env.CLUSTER_KUBECONFIG_ALLOW),
    commands: new Set(env.CLUSTER_KUBECONFIG_EXEC_COMMANDS),
    ownName: env.CLUSTER_OWN_NAME,
    secretsNamespace: env.CLUSTER_SECRETS_NAMESPACE,
    serviceAccount: {
      folder: env.CLUSTER_SERVICE_ACCOUNT_FOLDER,
      host: env.KUBERNETES_SERVICE_HOST ?? '',
      port: env.KUBERNETES_SERVICE_PORT,
    },
    eksRegions: env.CLUSTER_EKS_REGIONS,
    eksMs: env.CLUSTER_EKS_SECONDS,
    ownCredentials: new Set(env.CLUSTER_RUNNER_OWN_CREDENTIALS),
    deployersNamespace: env.CLUSTER_DEPLOYERS_NAMESPACE,
    podSecurity: env.CLUSTER_POD_SECURITY,
    sharedAccount: env.CLUSTER_RUNNER_ACCOUNT,
    sharesAccount: (providerId: string) =>
      ['all', providerId].some((one) => env.CLUSTER_SHARED_RUNNER_ACCOUNT.includes(one)),
    ignoreNew: env.CLUSTERS_IGNORE_NEW,
    rediscoverMs: env.CLUSTER_REDISCOVER_SECONDS,
    resyncMs: env.CLUSTER_RESYNC_SECONDS,
    accessSeconds: env.CLUSTER_ACCESS_SECONDS,
    credentialWritesPerSecond: env.CREDENTIAL_WRITES_PER_SECOND,
  }));
export type Config = z.output<typeof Config>;
