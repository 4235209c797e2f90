import { execFile } from 'node:child_process';
import { chown, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ServerFailed } from './server-failed.ts';

const run = promisify(execFile);

/** How to run a program that refuses to run as root. */
export interface RunAs {
  /** A prefix of the command. */
  readonly prefix: readonly string[];
  /** Options for spawn; empty if the prefix changes the user or no change is needed. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** The owner that its files must have. */
  readonly owner: { readonly uid: number; readonly gid: number };
}

interface Program {
  readonly folder: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * A way to run `program` as another user than root who can reach it and write to `folder`. The folder is given to that user. If
 * only root can enter a parent folder of either, such as /root, the simple way fails; then the user gets the right to enter
 * folders, or runs as root of a user namespace.
 */
export async function unprivilegedWay({ folder, program, env, signal }: Program): Promise<RunAs> {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { prefix: [], user: {}, owner: { uid, gid } };

  for (const way of waysFor(await stat(folder), await readFile('/etc/passwd', 'utf8'))) {
    await chown(folder, way.owner.uid, way.owner.gid);
    if (await works(way, { folder, program, env, signal })) return way;
  }
  throw new ServerFailed(
    `this is root, whom PostgreSQL refuses, and no other user can both run ${program} and write to ${folder}. ` +
      'Run as an ordinary user, or put the checkout where every user may pass.',
  );
}

/** In the order in which they are tried. A folder with content keeps its owner. */
export function waysFor(folder: { uid: number; gid: number }, passwd: string): RunAs[] {
  const account = accountIn(passwd);
  const owner = folder.uid === 0 ? account : folder;
  const mapped = { prefix: namespace(account), user: {}, owner: { uid: 0, gid: 0 } };
  if (!owner) return [mapped];
  return [
    { prefix: [], user: owner, owner: { uid: owner.uid, gid: owner.gid } },
    { prefix: capable(owner, 'dac_read_search'), user: {}, owner },
    // Containers often lack the narrower right.
    { prefix: capable(owner, 'dac_override'), user: {}, owner },
    ...(folder.uid === 0 ? [mapped] : []),
  ];
}

const capable = ({ uid, gid }: { uid: number; gid: number }, capability: string) => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  ...['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+${capability}`),
];

const namespace = ({ uid, gid }: { uid: number; gid: number } = { uid: 65_534, gid: 65_534 }) => [
  'unshare',
  '--user',
  `--map-user=${uid}`,
  `--map-group=${gid}`,
];

/** initdb needs a user name, so the user must be an account of the machine. */
function accountIn(passwd: string): { uid: number; gid: number } | undefined {
  const accounts = passwd.split('\n').map((line) => line.split(':'));
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  return account && { uid: Number(account[2]), gid: Number(account[3]) };
}

async function works({ prefix, user }: RunAs, { folder, program, env, signal }: Program): Promise<boolean> {
  const check = ['/bin/sh', '-c', 'cd "$1" && test -w . && test -x "$2" && exec "$2" --version', 'sh', folder, program];
  const [command = '', ...args] = [...prefix, ...check];
  try {
    await run(command, args, {
      ...user,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
      cwd: '/',
      signal,
      timeout: 10_000,
    });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
