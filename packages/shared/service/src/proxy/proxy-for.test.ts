import { afterEach, beforeEach, expect, test } from 'vitest';
import { proxyFor, proxyPasswords, proxyVariables } from './proxy-for.ts';

const names = ['NODE_USE_ENV_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'ALL_PROXY', 'https_proxy'];
let before: Record<string, string | undefined>;
beforeEach(() => {
  before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  for (const name of names) delete process.env[name];
  Object.assign(process.env, {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: 'http://me:a%40b@secure.example:3128',
    HTTP_PROXY: 'http://plain.example:8080',
  });
});
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

const hostFor = (url: string) => proxyFor(new URL(url))?.host ?? null;

test('each protocol has its proxy', () => {
  expect(hostFor('https://registry.example')).toBe('secure.example:3128');
  expect(hostFor('http://registry.example')).toBe('plain.example:8080');
});

test.for([
  ['registry.example', 'https://registry.example', null],
  ['registry.example', 'https://registry.example:5000', null],
  ['registry.example', 'https://a.registry.example', 'secure.example:3128'],
  ['.example', 'https://a.registry.example', null],
  ['.example', 'https://an-example', 'secure.example:3128'],
  ['other, 10.96.0.1', 'https://10.96.0.1', null],
  ['*', 'https://registry.example', null],
] as const)('with NO_PROXY=%s, %s goes through %s', ([list, url, host]) => {
  process.env['NO_PROXY'] = list;

  expect(hostFor(url)).toBe(host);
});

test('without the switch of Node there is no proxy', () => {
  delete process.env['NODE_USE_ENV_PROXY'];

  expect(hostFor('https://registry.example')).toBeNull();
  expect(proxyVariables()).toEqual({});
  expect(proxyPasswords()).toEqual([]);
});

test('ALL_PROXY counts for nothing, as for Helm', () => {
  delete process.env['HTTPS_PROXY'];
  process.env['ALL_PROXY'] = 'socks5://other.example';

  expect(hostFor('https://registry.example')).toBeNull();
});

test('a proxy of another protocol is refused, and not quoted', () => {
  process.env['HTTPS_PROXY'] = 'socks5://me:secret@other.example';

  expect(() => hostFor('https://registry.example')).toThrow(/^HTTPS_PROXY is not an http or https URL$/);
});

test.for([
  ['encoded', 'http://me:a%40b@proxy.example', ['a%40b', 'a@b']],
  ['with a raw space, as Helm quotes it', 'http://me:a b%40c@proxy.example', ['a b%40c', 'a%20b%40c', 'a b@c']],
  ['with a raw @', 'http://me:a@b@proxy.example', ['a@b', 'a%40b']],
  ['with a raw slash, which makes it no URL', 'http://me:a/b@proxy.example', ['a/b']],
  ['absent', 'http://me@proxy.example', []],
] as const)('a password that is written %s is known in all its forms', ([, url, passwords]) => {
  delete process.env['HTTP_PROXY'];
  process.env['HTTPS_PROXY'] = url;

  expect(proxyPasswords()).toEqual(passwords);
});
