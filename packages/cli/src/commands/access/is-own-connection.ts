import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** The kernel lists the connections of both protocols; a browser may reach an IPv4 address by a socket for IPv6. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
const established = '01';
const root = 0;

/**
 * Whether a connection over the loopback was opened by this user, or by root. Others on this computer may find the address of a
 * sign-in in the process list, and would sign this terminal in as themselves. Only Linux says whose a connection is; true elsewhere.
 */
export async function isOwnConnection(
  { remotePort, localPort }: Ends,
  env: Readonly<Record<string, string | undefined>>,
) {
  const user = process.getuid?.();
  if (process.platform !== 'linux' || user === undefined) return true;
  const lists = await Promise.all(tables.map((table) => readFile(table, 'latin1').catch(() => null)));
  // In a sandbox they may be hidden, and the check is impossible.
  if (lists.every((list) => list === null)) return true;
  const owners = lists.flatMap((list) => ownersIn(list ?? '', remotePort, localPort));
  // With `sudo` the browser is still that of the person.
  const own = [user, root, Number(env['SUDO_UID'] ?? user)];
  return owners.length > 0 && owners.every((owner) => own.includes(owner));
}

type Ends = Pick<Socket, 'remotePort' | 'localPort'>;

/** The users of the ends at `from` of connections to `to`. */
function ownersIn(list: string, from: number | undefined, to: number | undefined): number[] {
  return list.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state, , , , owner] = line.trim().split(/\s+/);
    const isIt = state === established && portOf(local) === from && portOf(remote) === to && isLoopback(remote);
    return isIt ? [Number(owner)] : [];
  });
}

const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16);

/** 127.0.0.1 in the byte order of the machine, perhaps mapped into IPv6. */
const isLoopback = (address: string): boolean => /^(?:[0-9A-F]{24})?(?:0100007F|7F000001):/.test(address);
