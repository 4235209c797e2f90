import { ConfigError, readConfig } from '@berth/service/read-config';
import { expect, test } from 'vitest';
import { Config } from './config.ts';

const required = { NATS_URL: 'nats://bus', NATS_PASSWORD: 'for NATS', DATABASE_URL: 'postgres://db/berth' };
const registries = (...all: unknown[]) => ({ ...required, REGISTRIES: JSON.stringify(all) });

test('the configuration needs only the bus and the database', () => {
  expect(readConfig(Config, required)).toMatchObject({ registries: [], push: undefined });
});

test('a configured registry is named by host and port', () => {
  const config = readConfig(
    Config,
    registries(
      { url: 'https://registry.example.com/', auth_hosts: ['auth.example.com'] },
      { url: 'https://other:5000' },
    ),
  );

  expect(config.registries).toMatchObject([
    { source: { provider: 'Oci', domain: 'registry.example.com', pollIntervalMs: 60_000, allowAddresses: [] } },
    { source: { domain: 'other:5000' } },
  ]);
});

test('an address in the URL of a registry is allowed', () => {
  const [v4, v6] = readConfig(
    Config,
    registries({ url: 'http://127.0.0.1:5000', allow_http: true }, { url: 'https://[::1]' }),
  ).registries;

  expect(v4?.source.allowAddresses).toEqual(['127.0.0.1']);
  expect(v6?.source.allowAddresses).toEqual(['::1']);
});

test('chart repositories on one host are told apart by their paths', () => {
  const urls = ['https://example.org/stable/', 'https://example.org/testing'];
  const config = readConfig(Config, registries(...urls.map((url) => ({ type: 'helm-repository', url }))));

  expect(config.registries.map(({ source }) => `${source.provider} ${source.domain}`)).toEqual([
    'HelmRepo example.org/stable',
    'HelmRepo example.org/testing',
  ]);
});

test.for<[string, Record<string, string>, string]>([
  ['plain http that was not allowed', registries({ url: 'http://registry' }), 'url: must be https'],
  ['a path', registries({ url: 'https://registry/v2' }), 'url: must not have a path'],
  ['credentials in a URL', registries({ url: 'https://a:canary@registry' }), 'url: must not have credentials'],
  ['the same registry twice', registries({ url: 'https://a' }, { url: 'https://a' }), 'must not name a registry twice'],
  ['a provider that does not exist', registries({ type: 'ftp', url: 'https://a' }), 'type'],
  [
    'certificates that cannot be read',
    registries({ url: 'https://a', ca_file: '/none.pem' }),
    'ca_file: /none.pem cannot be read',
  ],
  ['an unknown setting', registries({ url: 'https://a', password: 'canary' }), 'password'],
  ['an invalid range', registries({ url: 'https://a', allow_addresses: ['127.0.0.0/99'] }), 'is not an address'],
  ['text that is not JSON', { ...required, REGISTRIES: 'canary' }, 'REGISTRIES: must be a JSON array'],
  ['a listener without a token', { ...required, PUSH_PORT: '8081' }, 'PUSH_TOKEN: is required'],
  ['a token that is easily guessed', { ...required, PUSH_PORT: '8081', PUSH_TOKEN: 'canary' }, 'PUSH_TOKEN: must have'],
])('the configuration refuses %s, without repeating it', ([, environment, words]) => {
  const refuse = () => readConfig(Config, environment);

  expect(refuse).toThrow(ConfigError);
  expect(refuse).toThrow(words);
  expect(refuse).not.toThrow('canary');
});
