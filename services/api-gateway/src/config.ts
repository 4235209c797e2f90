import { busOptions, busSettings } from '@berth/shared/bus/connection/bus-settings';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const isNetwork = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

/** Addresses and networks, separated by spaces or commas. */
const TrustedProxies = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
  .refine((networks) => networks.every(isNetwork), 'must be addresses or networks such as 10.0.0.0/8');

export const Config = z
  .object({
    ...busSettings,
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    SERVICE_OWN_URL: z.url({ protocol: /^https?$/ }),
    SERVICE_VERSION: z.string().default('0.1.0'),
    TRUSTED_PROXIES: TrustedProxies,
    FAILED_CREDENTIALS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(300),
    SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(300),
  })
  .transform((env) => ({
    bus: busOptions(env),
    host: env.HOST,
    port: env.PORT,
    ownUrl: env.SERVICE_OWN_URL,
    version: env.SERVICE_VERSION,
    trustedProxies: env.TRUSTED_PROXIES,
    attempts: {
      failedCredentialsPerMinute: env.FAILED_CREDENTIALS_PER_MINUTE,
      signInsPerMinute: env.SIGN_INS_PER_MINUTE,
    },
  }));
export type Config = z.output<typeof Config>;
