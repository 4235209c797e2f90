import { BlockList, isIP } from 'node:net';

/**
 * Where neither a registry nor a deployment is: this machine, its link, the metadata services of clouds. Strangers name hosts
 * (redirects, token servers, DNS records), so without this anybody could make us connect to these addresses.
 */
const neverOutsideV4 = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  // Metadata services outside of the link: Alibaba's, Azure's, and Oracle's among the addresses kept for protocols.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const neverOutsideV6 = [
  // IPv4-compatible addresses, and with them :: and ::1.
  '::/96',
  'fe80::/10',
  'ff00::/8',
  // Metadata services: Amazon's and Google's.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // Both hold an IPv4 address, in a place that depends on whose they are: 6to4, and a network's own NAT64.
  '2002::/16',
  '64:ff9b:1::/48',
];

/** An IPv4 range as a NAT64 gateway reaches it under the prefix that all know. */
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

/** Says which addresses may be connected to. What `allowed` names is open in spite of everything. */
export function addressRules(allowed: readonly string[]): (address: string) => boolean {
  const denied = listOf(neverOutside);
  const open = listOf(allowed);
  // BlockList reads an IPv4-mapped IPv6 address by the IPv4 rules too, so that ::ffff:127.0.0.1 hides nothing.
  return (address) =>
    isIP(address) !== 0 && (open.check(address, versionOf(address)) || !denied.check(address, versionOf(address)));
}
