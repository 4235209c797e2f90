import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type RealNode, type Stack, writeImage } from '@berth/devstack';
import { postgresBinaries } from '@berth/devstack/servers/postgres-binaries';

const run = promisify(execFile);

interface StandIns {
  readonly node: Pick<RealNode, 'loadImages'>;
  readonly tools: Pick<Stack['tools'], 'nats-server'>;
  readonly stateFolder: string;
  readonly signal: AbortSignal;
}

/**
 * Loads images of PostgreSQL and NATS onto the node, under the names of the public images, which not every machine can pull. They
 * contain the programs of the npm packages and the part of the public entry point that the chart uses.
 */
export async function loadStandIns({ node, tools, stateFolder, signal }: StandIns): Promise<void> {
  const folder = join(stateFolder, 'stand-ins');
  const natsRoot = join(folder, 'nats');
  await mkdir(join(natsRoot, 'usr/local/bin'), { recursive: true });
  await copyFile(tools['nats-server'], join(natsRoot, 'usr/local/bin/nats-server'));
  const postgresRoot = join(folder, 'postgres');
  await writePostgres(postgresRoot, signal);

  const env = ['PATH=/usr/local/bin:/bin'];
  const images = [
    { name: 'docker.io/library/nats:2.12-alpine', root: natsRoot, entrypoint: ['nats-server'] },
    { name: 'docker.io/library/postgres:17-bookworm', root: postgresRoot, entrypoint: ['/bin/sh', '/start.sh'] },
  ];
  for (const image of images) await node.loadImages(await writeImage({ ...image, env, folder, signal }));
  await rm(folder, { recursive: true });
}

const start = `set -e
export LD_LIBRARY_PATH=/pgsql/links:/pgsql/lib
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  /pgsql/bin/initdb --pgdata "$PGDATA" --username postgres --auth scram-sha-256 --pwfile "$POSTGRES_PASSWORD_FILE" \\
    --locale C --encoding UTF8 --no-sync
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
exec /pgsql/bin/postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql -c fsync=off "$@"
`;

/** The packaged PostgreSQL with this machine's libraries, a shell for initdb, and the user that the chart sets. */
async function writePostgres(root: string, signal: AbortSignal): Promise<void> {
  const { postgres, initdb, env } = await postgresBinaries(join(root, 'links.here'));
  const native = dirname(dirname(postgres));
  await cp(native, join(root, 'pgsql'), { recursive: true });
  await cp(join(root, 'links.here'), join(root, 'pgsql/links'), { recursive: true, dereference: true });
  await mkdir(join(root, 'bin'));
  await copyFile('/bin/busybox', join(root, 'bin/sh'));
  for (const library of await librariesOf([postgres, initdb], native, env, signal)) {
    await mkdir(join(root, dirname(library)), { recursive: true });
    await copyFile(await realpath(library), join(root, library));
  }
  await mkdir(join(root, 'etc'));
  await writeFile(join(root, 'etc/passwd'), 'postgres:x:999:999::/tmp:/bin/sh\n');
  await writeFile(join(root, 'start.sh'), start);
  await rm(join(root, 'links.here'), { recursive: true });
  await chmod(root, 0o755);
}

/** Shared libraries that programs load from outside of their folder. */
async function librariesOf(
  programs: readonly string[],
  native: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const program of programs) {
    const { stdout } = await run('ldd', [program], {
      env: { ...env, PATH: process.env['PATH'] },
      timeout: 20_000,
      signal,
    });
    for (const [, path = ''] of stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)) found.add(path);
  }
  for (const path of found) if (path.startsWith(native) || path.includes('/links.here/')) found.delete(path);
  return found;
}
