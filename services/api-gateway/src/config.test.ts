import { describe, expect, test } from 'vitest';
import { Config } from './config.ts';

const least = { NATS_URL: 'nats://127.0.0.1:4222', NATS_PASSWORD: 'x', SERVICE_OWN_URL: 'https://berth.example.test' };
const problemsOf = (settings: Record<string, string>) =>
  Config.safeParse({ ...least, ...settings }).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the configuration', () => {
  test('serves no TLS and allows no origin by default', () => {
    expect(Config.parse(least)).toMatchObject({ tls: null, allowedOrigins: [] });
    expect(
      Config.parse({ ...least, TLS_FOLDER: '/tls', CORS_ORIGINS: 'https://a.test http://b.test:81' }),
    ).toMatchObject({
      tls: { folder: '/tls' },
      allowedOrigins: ['https://a.test', 'http://b.test:81'],
    });
  });

  test.for(['*', 'null', 'https://a.test/', 'https://a.test/console', 'a.test'])(
    'refuses %s as an origin, since browsers do not send it in this form',
    (origin) => {
      expect(problemsOf({ CORS_ORIGINS: origin })).toEqual([
        'CORS_ORIGINS: must be origins such as https://console.example.com',
      ]);
    },
  );

  test('reuses identities for one second, which is the default and the maximum', () => {
    expect(Config.parse(least).identityLeaseMs).toBe(1_000);
    expect(Config.parse({ ...least, IDENTITY_LEASE_MS: '0' }).identityLeaseMs).toBe(0);
    expect(problemsOf({ IDENTITY_LEASE_MS: '1001' })).toHaveLength(1);
  });

  test('refuses client certificates without TLS', () => {
    expect(problemsOf({ TLS_CLIENT_CA: '-----BEGIN CERTIFICATE-----' })).toEqual([
      'TLS_CLIENT_CA: needs TLS_FOLDER: without TLS no client can present a certificate',
    ]);
  });
});
