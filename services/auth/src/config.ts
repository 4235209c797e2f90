import { parseArgs } from 'node:util';
import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { auditSettings } from '@berth/db/audit/audit-retention';
import { KeyEncryptionKey, OtherKeyEncryptionKeys } from '@berth/db/sealing/key-encryption-key';
import { asciiLowerCase } from '@berth/contracts/fields/ascii-case';
import { z } from 'zod';

const days = 24 * 60 * 60;

/** The specification sets the longest lifetime; the configuration can only shorten it. */
const secondsUpTo = (max: number) => z.coerce.number().int().min(60).max(max).default(max);

const AdminEmails = z
  .string()
  .default('')
  .transform((list) => list.split(/\s+/).filter((entry) => entry !== ''))
  .pipe(z.array(z.string().overwrite(asciiLowerCase).includes('@', 'must be e-mail addresses, separated by spaces')));

const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

type Environment = Record<string, string | undefined>;

/** Adds `--admin-email=<email>`, once per entry, to the value from the environment. */
export function withAdminEmailFlags(environment: Environment, args: string[]): Environment {
  const { values } = parseArgs({ args, options: { 'admin-email': { type: 'string', multiple: true } } });
  const flags = values['admin-email'] ?? [];
  return { ...environment, ADMIN_EMAILS: [environment['ADMIN_EMAILS'] ?? '', ...flags].join(' ') };
}

const databaseSettings = {
  DATABASE_URL: z.url(),
  /** Seals signing keys and login attempts. */
  KEY_ENCRYPTION_KEY: KeyEncryptionKey,
  /** Earlier keys, which only open what they sealed while the key is being replaced. */
  OTHER_KEY_ENCRYPTION_KEYS: OtherKeyEncryptionKeys,
};

/** The settings of the commands for signing keys. */
export const SigningKeysConfig = z.object(databaseSettings).transform((env) => ({
  databaseUrl: env.DATABASE_URL,
  keyEncryptionKey: env.KEY_ENCRYPTION_KEY,
  otherKeyEncryptionKeys: env.OTHER_KEY_ENCRYPTION_KEYS,
}));

export const Config = z
  .object({
    ...busSettings,
    ...auditSettings,
    ...databaseSettings,
    SERVICE_OWN_URL: HttpUrl,
    // Compared exactly with the issuer that the provider reports, so a trailing slash stays.
    OIDC_SERVER_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
    OIDC_CLIENT_ID: z.string().min(1),
    OIDC_CLIENT_SECRET: z.string().min(1),
    OIDC_ALLOW_HTTP: z.stringbool().default(false),
    ADMIN_EMAILS: AdminEmails,
    SESSION_LIFETIME_SECONDS: secondsUpTo(7 * days),
    DEPLOYMENT_TOKEN_LIFETIME_SECONDS: secondsUpTo(60 * 60),
    SIGNING_KEY_DAYS: z.coerce.number().positive().max(3650).default(90),
  })
  .refine(({ OIDC_SERVER_URL, OIDC_ALLOW_HTTP }) => OIDC_ALLOW_HTTP || OIDC_SERVER_URL.startsWith('https:'), {
    path: ['OIDC_SERVER_URL'],
    error: 'must be https, unless OIDC_ALLOW_HTTP=true',
  })
  .transform((env) => ({
    bus: busOptions(env),
    auditDays: env.AUDIT_RETENTION_DAYS,
    databaseUrl: env.DATABASE_URL,
    keyEncryptionKey: env.KEY_ENCRYPTION_KEY,
    otherKeyEncryptionKeys: env.OTHER_KEY_ENCRYPTION_KEYS,
    ownUrl: env.SERVICE_OWN_URL,
    provider: {
      issuer: env.OIDC_SERVER_URL,
      clientId: env.OIDC_CLIENT_ID,
      clientSecret: env.OIDC_CLIENT_SECRET,
      allowHttp: env.OIDC_ALLOW_HTTP,
    },
    /** Lower case. Checked at the first login only. */
    adminEmails: new Set(env.ADMIN_EMAILS),
    sessionSeconds: env.SESSION_LIFETIME_SECONDS,
    deploymentTokenSeconds: env.DEPLOYMENT_TOKEN_LIFETIME_SECONDS,
    maxKeyAgeDays: env.SIGNING_KEY_DAYS,
  }));
export type Config = z.output<typeof Config>;
