import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The bytes of an IPv6 address that its owner cannot choose: a household or machine is assigned a /64. */
const prefixBytes = 8;

/** The network behind a request: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // A proxy may forward something that is not an address.
  const given = ipaddr.isValid(ip) ? ip : (socket.remoteAddress ?? '');
  if (!ipaddr.isValid(given)) return 'unknown';
  // Converts an IPv4-mapped IPv6 address to IPv4.
  const address = ipaddr.process(given);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, prefixBytes)).toString()}/64`;
}
