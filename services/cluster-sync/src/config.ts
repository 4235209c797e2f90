import { busOptions, busSettings } from '@berth/shared/bus/connection/bus-settings';
import { z } from 'zod';

const seconds = (usual: number) =>
  z.coerce
    .number()
    .positive()
    .max(86_400)
    .default(usual)
    .transform((value) => value * 1000);

export const Config = z
  .object({
    ...busSettings,
    DATABASE_URL: z.url(),
    /** A kubeconfig whose contexts become clusters. Without it none is found. */
    CLUSTER_KUBECONFIG: z.string().min(1).optional(),
    /** Only these of its contexts, separated by commas. */
    CLUSTER_CONTEXTS: z.string().optional(),
    /** Whether a cluster that is found starts as ignored, until a site admin takes it into use. */
    CLUSTERS_IGNORE_NEW: z.stringbool().default(true),
    CLUSTER_REDISCOVER_SECONDS: seconds(10),
    CLUSTER_RESYNC_SECONDS: seconds(600),
    /** How long the access that runners get is good for; a cluster gives no less than 10 minutes. */
    CLUSTER_ACCESS_SECONDS: z.coerce.number().int().min(600).max(3600).default(3600),
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
  }));
export type Config = z.output<typeof Config>;

function contextsIn(text: string | undefined): string[] | null {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names.length > 0 ? names : null;
}
