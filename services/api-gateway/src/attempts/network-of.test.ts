import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { networkOf } from './network-of.ts';

const of = (ip: string, remoteAddress = '192.0.2.1') =>
  networkOf({ ip, socket: { remoteAddress } as FastifyRequest['socket'] });

test.for([
  ['the network of an IPv4 address is the address', '203.0.113.7', '203.0.113.7'],
  ['the network of an IPv4-mapped address is the IPv4 address', '::ffff:203.0.113.7', '203.0.113.7'],
  ['the network of an IPv6 address is its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['two IPv6 addresses of a /64 have the same network', '2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['the zone of an IPv6 address is ignored', 'fe80::1%eth0', 'fe80::/64'],
  [
    'a forwarded text that is not an address is replaced by the address of the connection',
    'x'.repeat(1_000),
    '192.0.2.1',
  ],
] as const)('%s', ([, ip, network]) => {
  expect(of(ip)).toBe(network);
});

test('the network of a closed connection is "unknown"', () => {
  expect(of('', '')).toBe('unknown');
});
