import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Of an IPv6 address, in bytes: what one household or machine is given, and changes within as it likes. */
const prefixBytes = 8;

/** The network behind a request: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // What a proxy forwards need not be an address.
  const given = ipaddr.isValid(ip) ? ip : (socket.remoteAddress ?? '');
  if (!ipaddr.isValid(given)) return 'unknown';
  // IPv4 within IPv6 becomes IPv4.
  const address = ipaddr.process(given);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.fromByteArray(address.toByteArray().fill(0, prefixBytes)).toString()}/64`;
}
