import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { parsedJson } from '@berth/contracts/fields/json';
import { auditSettings } from '@berth/db/audit/audit-retention';
import { z } from 'zod';
import { KeyEncryptionKey, OtherKeyEncryptionKeys } from '@berth/db/sealing/key-encryption-key';
import { RegistrySettings } from './providers/providers.ts';
import { Allowances } from './registries/created-settings.ts';

const Registries = z
  .string()
  .transform(parsedJson)
  .refine((value) => value !== undefined, 'must be a JSON array of registries')
  .pipe(z.array(RegistrySettings).max(100))
  .refine(
    (registries) => new Set(registries.map(({ source }) => source.domain)).size === registries.length,
    'must not name a registry twice',
  );

export const Config = z
  .object({
    ...busSettings,
    ...auditSettings,
    DATABASE_URL: z.url(),
    /** The registries to scan: `[{"url": "https://registry.example.com"}]`; the README lists all fields. */
    REGISTRIES: Registries.default([]),
    /** What registries that site admins create may reach: `{"allow_http", "allow_addresses", "ca_file"}`. */
    CREATED_REGISTRIES: z.string().default('{}').transform(parsedJson).pipe(Allowances),
    /** Seals the credentials of created registries. Without it they can have none. */
    KEY_ENCRYPTION_KEY: KeyEncryptionKey.optional(),
    /** Open values that are sealed under another key, until their credentials were given again. */
    OTHER_KEY_ENCRYPTION_KEYS: OtherKeyEncryptionKeys,
    /** Where registries send push events. Without a port there is no listener; polling finds everything. */
    PUSH_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
    PUSH_HOST: z.string().min(1).default('127.0.0.1'),
    /** The bearer token that registries send. */
    PUSH_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  })
  .refine(({ PUSH_PORT, PUSH_TOKEN }) => PUSH_PORT === undefined || PUSH_TOKEN !== undefined, {
    path: ['PUSH_TOKEN'],
    error: 'is required with PUSH_PORT',
  })
  .transform((env) => ({
    bus: busOptions(env),
    auditDays: env.AUDIT_RETENTION_DAYS,
    databaseUrl: env.DATABASE_URL,
    registries: env.REGISTRIES,
    allowances: env.CREATED_REGISTRIES,
    credentialKeys: [...(env.KEY_ENCRYPTION_KEY ? [env.KEY_ENCRYPTION_KEY] : []), ...env.OTHER_KEY_ENCRYPTION_KEYS],
    push:
      env.PUSH_PORT === undefined || env.PUSH_TOKEN === undefined
        ? undefined
        : { host: env.PUSH_HOST, port: env.PUSH_PORT, token: env.PUSH_TOKEN },
  }));
export type Config = z.output<typeof Config>;
