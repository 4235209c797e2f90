import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { longestLeaseMs } from '@berth/contracts/resources/accounts/identity-leases';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { usualConnections } from './http/create-http-server.ts';

const isNetwork = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

/** Addresses and networks, separated by spaces or commas. */
const TrustedProxies = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
  .refine((networks) => networks.every(isNetwork), 'must be addresses or networks such as 10.0.0.0/8');

/** Origins as browsers send them: scheme, host, and a port unless it is the default; nothing after it. */
const Origins = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
  .refine(
    (origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
    'must be origins such as https://console.example.com',
  );

/** 0: no limit. */
const perMinute = (usual: number) => z.coerce.number().int().min(0).max(1_000_000).default(usual);

const seconds = (max: number, usualMs: number) =>
  z.coerce
    .number()
    .min(1)
    .max(max)
    .default(usualMs / 1_000);

export const Config = z
  .object({
    ...busSettings,
    HOST: z.string().default('127.0.0.1'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    SERVICE_OWN_URL: z.url({ protocol: /^https?$/ }),
    SERVICE_VERSION: z.string().default('0.1.0'),
    TRUSTED_PROXIES: TrustedProxies,
    TLS_FOLDER: z.string().min(1).optional(),
    TLS_CLIENT_CA: z.string().includes('-----BEGIN CERTIFICATE-----').optional(),
    CORS_ORIGINS: Origins,
    MAX_CONNECTIONS: z.coerce.number().int().min(16).max(1_000_000).default(usualConnections.most),
    HEADERS_TIMEOUT_SECONDS: seconds(300, usualConnections.headersMs),
    REQUEST_TIMEOUT_SECONDS: seconds(3_600, usualConnections.requestMs),
    KEEP_ALIVE_SECONDS: seconds(3_600, usualConnections.keepAliveMs),
    COMPRESS_FROM_BYTES: z.coerce.number().int().min(0).max(4_194_304).default(8_192),
    LINGER_SECONDS: z.coerce.number().min(0).max(15).default(0),
    IDENTITY_LEASE_MS: z.coerce.number().int().min(0).max(longestLeaseMs).default(longestLeaseMs),
    FAILED_CREDENTIALS_PER_MINUTE: perMinute(300),
    SIGN_INS_PER_MINUTE: perMinute(300),
    REQUESTS_PER_MINUTE: perMinute(30_000),
    ANONYMOUS_REQUESTS_PER_MINUTE: perMinute(6_000),
    BURST_SECONDS: z.coerce.number().min(1).max(60).default(5),
  })
  .refine((env) => env.TLS_CLIENT_CA === undefined || env.TLS_FOLDER !== undefined, {
    path: ['TLS_CLIENT_CA'],
    message: 'needs TLS_FOLDER: without TLS no client can present a certificate',
  })
  .refine((env) => env.HEADERS_TIMEOUT_SECONDS <= env.REQUEST_TIMEOUT_SECONDS, {
    path: ['HEADERS_TIMEOUT_SECONDS'],
    message: 'must not be longer than REQUEST_TIMEOUT_SECONDS, which includes it',
  })
  .transform((env) => ({
    bus: busOptions(env),
    host: env.HOST,
    port: env.PORT,
    ownUrl: env.SERVICE_OWN_URL,
    version: env.SERVICE_VERSION,
    trustedProxies: env.TRUSTED_PROXIES,
    tls: env.TLS_FOLDER === undefined ? null : { folder: env.TLS_FOLDER, clientCa: env.TLS_CLIENT_CA },
    allowedOrigins: env.CORS_ORIGINS,
    compressFromBytes: env.COMPRESS_FROM_BYTES,
    connections: {
      most: env.MAX_CONNECTIONS,
      headersMs: env.HEADERS_TIMEOUT_SECONDS * 1_000,
      requestMs: env.REQUEST_TIMEOUT_SECONDS * 1_000,
      keepAliveMs: env.KEEP_ALIVE_SECONDS * 1_000,
    },
    lingerMs: env.LINGER_SECONDS * 1_000,
    identityLeaseMs: env.IDENTITY_LEASE_MS,
    perMinute: {
      failedCredentialsPerMinute: env.FAILED_CREDENTIALS_PER_MINUTE,
      signInsPerMinute: env.SIGN_INS_PER_MINUTE,
      requestsPerMinute: env.REQUESTS_PER_MINUTE,
      anonymousRequestsPerMinute: env.ANONYMOUS_REQUESTS_PER_MINUTE,
      burstSeconds: env.BURST_SECONDS,
    },
  }));
export type Config = z.output<typeof Config>;
