import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are never a registry or a deployment: this machine, link-local, the metadata services of clouds. Strangers name
 * hosts (redirects, token servers, DNS records) and could otherwise make us connect to these addresses.
 */
const neverOutsideV4 = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  // Metadata services outside the link-local range: Alibaba's, Azure's, and Oracle's in the range of IETF protocols.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const neverOutsideV6 = [
  // IPv4-compatible addresses, including :: and ::1.
  '::/96',
  'fe80::/10',
  'ff00::/8',
  // Metadata services: Amazon's and Google's.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // Both embed an IPv4 address, at an offset that depends on the network: 6to4, and local NAT64 prefixes.
  '2002::/16',
  '64:ff9b:1::/48',
];

/** An IPv4 range under the well-known NAT64 prefix. */
function throughNat64(range: string): string {
  const [address, bits] = range.split('/');
  return `64:ff9b::${address}/${96 + Number(bits)}`;
}

const neverOutside = [...neverOutsideV4, ...neverOutsideV4.map(throughNat64), ...neverOutsideV6];

const versionOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const version = versionOf(address);
    list.addSubnet(address, bits === undefined ? (version === 'ipv6' ? 128 : 32) : Number(bits), version);
  }
  return list;
}

/** Returns a predicate of the addresses that may be connected to. `allowed` overrides every denial. */
export function addressRules(allowed: readonly string[]): (address: string) => boolean {
  const denied = listOf(neverOutside);
  const open = listOf(allowed);
  // BlockList applies the IPv4 rules to IPv4-mapped IPv6 addresses too, such as ::ffff:127.0.0.1.
  return (address) =>
    isIP(address) !== 0 && (open.check(address, versionOf(address)) || !denied.check(address, versionOf(address)));
}
