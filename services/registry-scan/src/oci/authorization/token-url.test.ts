import { describe, expect, test } from 'vitest';
import { parseChallenge } from './challenge.ts';
import { tokenUrl } from './token-url.ts';
import { cpuMsSince } from '@berth/testing/cpu-ms-since';

describe('parseChallenge', () => {
  test('reads realm and service', () => {
    expect(
      parseChallenge('Bearer realm="https://auth.example.com/token",service="registry.example.com",scope="x:y:*"'),
    ).toEqual({ scheme: 'bearer', realm: 'https://auth.example.com/token', service: 'registry.example.com' });
  });

  test('reads a basic challenge', () => {
    expect(parseChallenge('Basic realm="Registry Realm"')).toEqual({ scheme: 'basic' });
  });

  test('uses the first realm of a header that has several', () => {
    expect(parseChallenge('bearer realm=https://a.example, realm="https://b.example"')).toMatchObject({
      realm: 'https://a.example',
    });
  });

  test.for([undefined, '', 'Digest realm="x"', 'Bearer', 'Bearer service="x"'])('is null for %s', (header) => {
    expect(parseChallenge(header)).toBeNull();
  });

  test('parses a long hostile header in linear time', () => {
    const before = process.threadCpuUsage();

    parseChallenge(`Bearer ${'a='.repeat(4000)}${' '.repeat(8000)}`);

    expect(cpuMsSince(before)).toBeLessThan(250);
  });
});

describe('tokenUrl', () => {
  const registry = new URL('https://registry.example.com');
  const rules = { registry, authHosts: ['auth.example.com'] };
  const bearer = (realm: string) => ({ scheme: 'bearer' as const, realm, service: 'hub' });
  const scope = 'repository:charts/web:pull';

  test('requests our own scope from a configured host', () => {
    expect(tokenUrl(bearer('https://auth.example.com/token?account=a'), scope, rules).href).toBe(
      'https://auth.example.com/token?account=a&service=hub&scope=repository%3Acharts%2Fweb%3Apull',
    );
  });

  test('accepts a realm on the registry itself', () => {
    expect(tokenUrl(bearer('https://registry.example.com/token'), scope, rules).host).toBe('registry.example.com');
  });

  test('accepts a realm without https only of a registry without it', () => {
    const plain = { registry: new URL('http://registry.example.com'), authHosts: [] };
    const realm = bearer('http://registry.example.com/token');

    expect(tokenUrl(realm, scope, plain).protocol).toBe('http:');
    expect(() => tokenUrl(realm, scope, { ...plain, registry })).toThrow(/is not https/);
  });

  test.for([
    ['another host', 'https://evil.example/token'],
    ['another port of the registry', 'https://registry.example.com:8443/token'],
    ['the metadata service', 'http://169.254.169.254/latest'],
    ['plain http', 'http://registry.example.com/token'],
    ['a host hidden behind user information', 'https://registry.example.com@evil.example/token'],
    ['a name that only has the same prefix', 'https://registry.example.com.evil.example/token'],
    ['a realm that is not a URL', '/token'],
    ['a file', 'file:///etc/passwd'],
  ] as const)('refuses %s', ([, realm]) => {
    expect(() => tokenUrl(bearer(realm), scope, rules)).toThrow(/realm of the registry/);
  });
});
