import { BlockList, isIP } from 'node:net';

/**
 * Where a registry never is: this machine, its link, the metadata services of clouds. A registry's answer names hosts
 * (redirects, token servers), so without this anybody who runs one could make us ask these addresses.
 */
const neverARegistry = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  // The denied IPv4 ranges once more, as a NAT64 gateway would reach them.
  '64:ff9b::/104',
  '64:ff9b::7f00:0/104',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::6464:64c8/128',
];

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
  const denied = listOf(neverARegistry);
  const open = listOf(allowed);
  // BlockList reads an IPv4-mapped IPv6 address by the IPv4 rules too, so that ::ffff:127.0.0.1 hides nothing.
  return (address) =>
    isIP(address) !== 0 && (open.check(address, versionOf(address)) || !denied.check(address, versionOf(address)));
}
