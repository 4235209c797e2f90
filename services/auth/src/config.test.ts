import { readConfig } from '@berth/service/read-config';
import { describe, expect, test } from 'vitest';
import { Config, withAdminEmailFlags } from './config.ts';

const environment = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_PASSWORD: 'for NATS',
  DATABASE_URL: 'postgres://auth@127.0.0.1/berth',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  SERVICE_OWN_URL: 'https://berth.example.com/',
  OIDC_SERVER_URL: 'https://id.example.com/',
  OIDC_CLIENT_ID: 'berth',
  OIDC_CLIENT_SECRET: 'for the provider',
};

const read = (given: Record<string, string | undefined>, args: string[] = []) =>
  readConfig(Config, withAdminEmailFlags(given, args));

describe('the configuration', () => {
  test('takes admin e-mails from the environment and from flags, in any case', () => {
    const { adminEmails } = read({ ...environment, ADMIN_EMAILS: ' Ada@example.com  bob@example.com ' }, [
      '--admin-email=Cyd@example.com',
      '--admin-email=dan@example.com',
    ]);

    expect([...adminEmails]).toEqual(['ada@example.com', 'bob@example.com', 'cyd@example.com', 'dan@example.com']);
  });

  test('has the specified lifetimes by default', () => {
    expect(read(environment)).toMatchObject({ sessionSeconds: 604_800, deploymentTokenSeconds: 3600 });
  });

  test('keeps the issuer as it is written, and strips the trailing slash of its own address', () => {
    const { provider, ownUrl } = read(environment);

    expect(provider.issuer).toBe('https://id.example.com/');
    expect(ownUrl).toBe('https://berth.example.com');
  });

  test('accepts a provider over http only if configured', () => {
    const overHttp = { ...environment, OIDC_SERVER_URL: 'http://127.0.0.1:4000' };

    expect(() => read(overHttp)).toThrow('OIDC_ALLOW_HTTP');
    expect(read({ ...overHttp, OIDC_ALLOW_HTTP: 'true' }).provider.allowHttp).toBe(true);
  });

  test.for([
    ['a longer session', { SESSION_LIFETIME_SECONDS: '604801' }],
    ['a longer deployment token', { DEPLOYMENT_TOKEN_LIFETIME_SECONDS: '3601' }],
    ['a key of another length', { KEY_ENCRYPTION_KEY: Buffer.alloc(16).toString('base64') }],
    ['a missing client secret', { OIDC_CLIENT_SECRET: undefined }],
    ['an admin without an @', { ADMIN_EMAILS: 'ada' }],
  ] as const)('refuses %s', ([, change]) => {
    expect(() => read({ ...environment, ...change })).toThrow(Object.keys(change)[0]);
  });

  test('refuses an unknown flag', () => {
    expect(() => read(environment, ['--admin-emails=ada@example.com'])).toThrow('admin-emails');
  });
});
