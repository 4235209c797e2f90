import { type CallerName, callerNames, type ServiceName, serviceNames } from '@berth/contracts/definition/contract';

/** The settings of all services: which service gets which address and secret. */
export interface Surroundings {
  url: string;
  gatewayPort: number;
  natsUrl: string;
  natsPasswords: Record<CallerName, string>;
  databaseUrls: Record<string, string>;
  /** For services that seal stored values. */
  keyEncryptionKeys: Record<'auth' | 'tasks', string>;
  oidc: { issuer: string; clientId: string; clientSecret: string };
  adminEmail: string;
  registryUrl: string;
  pushPort: number;
  pushToken: string;
  kubeconfigFile: string;
  kubeContext: string | undefined;
  helm: string;
  runnerFolder: string;
  /** Shorter times than in production, for tests of faults; empty for `npm start`. */
  overrides: Partial<Record<CallerName, Record<string, string>>>;
}

export interface ServiceProcess {
  name: CallerName;
  entry: string;
  settings: Record<string, string>;
  secrets: Record<string, string>;
}

/** The name of a service's schema, and of the role that owns it. */
export const schemaOf = (service: ServiceName): string => service.replaceAll('-', '_');

export const withDatabase: readonly ServiceName[] = serviceNames.filter((name) => name !== 'api-gateway');

export function serviceProcesses(all: Surroundings): ServiceProcess[] {
  return callerNames.map((name) => {
    const { settings = {}, secrets = {} } = own[name](all);
    const owner = withDatabase.find((service) => service === name);
    return {
      name,
      entry: `services/${name}/src/main.ts`,
      settings: { NATS_URL: all.natsUrl, ...settings, ...all.overrides[name] },
      secrets: {
        NATS_PASSWORD: all.natsPasswords[name],
        ...(owner && { DATABASE_URL: all.databaseUrls[schemaOf(owner)] ?? '' }),
        ...secrets,
      },
    };
  });
}

type Own = (all: Surroundings) => { settings?: Record<string, string>; secrets?: Record<string, string> };

const own: Record<CallerName, Own> = {
  'api-gateway': ({ url, gatewayPort }) => ({ settings: { SERVICE_OWN_URL: url, PORT: String(gatewayPort) } }),
  auth: ({ url, oidc, adminEmail, keyEncryptionKeys }) => ({
    settings: {
      SERVICE_OWN_URL: url,
      OIDC_SERVER_URL: oidc.issuer,
      OIDC_CLIENT_ID: oidc.clientId,
      OIDC_ALLOW_HTTP: 'true',
      ADMIN_EMAILS: adminEmail,
    },
    secrets: { OIDC_CLIENT_SECRET: oidc.clientSecret, KEY_ENCRYPTION_KEY: keyEncryptionKeys.auth },
  }),
  tasks: ({ url, keyEncryptionKeys }) => ({
    settings: { SERVICE_OWN_URL: url },
    secrets: { KEY_ENCRYPTION_KEY: keyEncryptionKeys.tasks },
  }),
  'cluster-sync': ({ kubeconfigFile, kubeContext }) => ({
    settings: {
      CLUSTER_KUBECONFIG: kubeconfigFile,
      CLUSTERS_IGNORE_NEW: 'false',
      ...(kubeContext !== undefined && { CLUSTER_CONTEXTS: kubeContext }),
    },
  }),
  'registry-scan': ({ registryUrl, pushPort, pushToken }) => ({
    settings: {
      REGISTRIES: JSON.stringify([{ url: registryUrl, allow_http: true, poll_interval_seconds: 30 }]),
      PUSH_PORT: String(pushPort),
    },
    secrets: { PUSH_TOKEN: pushToken },
  }),
  runner: ({ helm, runnerFolder }) => ({ settings: { HELM_BINARY: helm, RUNNER_FOLDER: runnerFolder } }),
};
