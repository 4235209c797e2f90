import { busOptions, busSettings } from '@berth/shared/bus/connection/bus-settings';
import { z } from 'zod';

const seconds = (fallback: number) =>
  z.coerce
    .number()
    .positive()
    .max(86_400)
    .default(fallback)
    .transform((value) => value * 1000);

export const Config = z
  .object({
    ...busSettings,
    DATABASE_URL: z.url(),
    /** A kubeconfig whose contexts become clusters. Without it there are none. */
    CLUSTER_KUBECONFIG: z.string().min(1).optional(),
    /** The contexts to use, separated by commas; all unless given. */
    CLUSTER_CONTEXTS: z.string().optional(),
    /** Whether a discovered cluster is ignored until a site admin changes that. */
    CLUSTERS_IGNORE_NEW: z.stringbool().default(true),
    CLUSTER_REDISCOVER_SECONDS: seconds(10),
    CLUSTER_RESYNC_SECONDS: seconds(600),
    /** Lifetime of the access that runners get; a cluster grants no less than 10 minutes. */
    CLUSTER_ACCESS_SECONDS: z.coerce.number().int().min(600).max(3600).default(3600),
    /** How many Secrets `service-creds` are written in one cluster in a second at most. 10,000 deployments need 9. */
    CREDENTIAL_WRITES_PER_SECOND: z.coerce.number().min(0.1).max(1000).default(20),
  })
  .transform((env) => ({
    bus: busOptions(env),
    databaseUrl: env.DATABASE_URL,
    kubeconfig: env.CLUSTER_KUBECONFIG,
    contexts: contextsIn(env.CLUSTER_CONTEXTS),
    ignoreNew: env.CLUSTERS_IGNORE_NEW,
    rediscoverMs: env.CLUSTER_REDISCOVER_SECONDS,
    resyncMs: env.CLUSTER_RESYNC_SECONDS,
    accessSeconds: env.CLUSTER_ACCESS_SECONDS,
    credentialWritesPerSecond: env.CREDENTIAL_WRITES_PER_SECOND,
  }));
export type Config = z.output<typeof Config>;

function contextsIn(text: string | undefined): string[] | null {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names.length > 0 ? names : null;
}
