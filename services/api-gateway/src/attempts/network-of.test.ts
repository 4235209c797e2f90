import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { networkOf } from './network-of.ts';

const of = (ip: string, remoteAddress = '192.0.2.1') =>
  networkOf({ ip, socket: { remoteAddress } as FastifyRequest['socket'] });

test.for([
  ['an IPv4 address is itself', '203.0.113.7', '203.0.113.7'],
  ['IPv4 within IPv6 is IPv4', '::ffff:203.0.113.7', '203.0.113.7'],
  ['an IPv6 address is its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['another of the same /64 is the same', '2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['a zone does not count', 'fe80::1%eth0', 'fe80::/64'],
  ['what is no address is that of the connection', 'x'.repeat(1_000), '192.0.2.1'],
] as const)('%s', ([, ip, network]) => {
  expect(of(ip)).toBe(network);
});

test('a connection that is gone has none', () => {
  expect(of('', '')).toBe('unknown');
});
