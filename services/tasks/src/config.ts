import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { auditSettings } from '@berth/db/audit/audit-retention';
import { KeyEncryptionKey, OtherKeyEncryptionKeys } from '@berth/db/sealing/key-encryption-key';
import { z } from 'zod';
import { createSecretKeys } from './secrets/secret-keys.ts';

const count = (usual: number) => z.coerce.number().int().min(1).max(10_000).default(usual);

const Namespaces = z
  .string()
  .default('berth')
  .transform((list) => list.split(/[\s,]+/).filter((name) => name !== ''));

const databaseSettings = {
  DATABASE_URL: z.url(),
  /** Seals the contents of secrets. */
  KEY_ENCRYPTION_KEY: KeyEncryptionKey,
  /** Older keys that still open secrets while the key is rotated. */
  OTHER_KEY_ENCRYPTION_KEYS: OtherKeyEncryptionKeys,
};
const DatabaseSettings = z.object(databaseSettings);

const databaseOptions = (env: z.output<typeof DatabaseSettings>) => ({
  databaseUrl: env.DATABASE_URL,
  secretKeys: createSecretKeys(env.KEY_ENCRYPTION_KEY, env.OTHER_KEY_ENCRYPTION_KEYS),
});

export const RotateKeyConfig = DatabaseSettings.transform(databaseOptions);

export const Config = z
  .object({
    ...busSettings,
    ...auditSettings,
    ...databaseSettings,
    SERVICE_OWN_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
    /** Tasks that run at the same time. */
    TASKS_PER_CLUSTER: count(20),
    TASKS_IN_ALL: count(100),
    TASK_LEASE_SECONDS: z.coerce.number().min(0.1).max(600).default(30),
    TASK_MAX_ATTEMPTS: count(3),
    /** Finished tasks and logs are kept for this many days, and at most this many per deployment. */
    TASK_RETENTION_DAYS: count(365),
    TASK_RETENTION_COUNT: count(1_000),
    /** Successful Installs and Upgrades per deployment that are always kept for rollbacks. */
    TASK_RETENTION_RUNS: z.coerce.number().int().min(1).max(100).default(10),
    /** Namespaces that deployments may not use, besides `default` and `kube-*`. */
    RESERVED_NAMESPACES: Namespaces,
  })
  .transform((env) => ({
    bus: busOptions(env),
    auditDays: env.AUDIT_RETENTION_DAYS,
    ...databaseOptions(env),
    ownUrl: env.SERVICE_OWN_URL.replace(/\/+$/, ''),
    limits: { perCluster: env.TASKS_PER_CLUSTER, inAll: env.TASKS_IN_ALL, waitingPerCluster: 250 },
    leaseMs: Math.round(env.TASK_LEASE_SECONDS * 1_000),
    maxAttempts: env.TASK_MAX_ATTEMPTS,
    retention: {
      days: env.TASK_RETENTION_DAYS,
      perDeployment: env.TASK_RETENTION_COUNT,
      runs: env.TASK_RETENTION_RUNS,
    },
    reserved: env.RESERVED_NAMESPACES,
  }));
export type Config = z.output<typeof Config>;
