import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from '@berth/devstack';

const folder = '/usr/lib/postgresql';

/** PostgreSQL of Debian: that of the packages has no pg_dump, and pg_dump refuses a server that is newer than itself. */
export async function debianPostgres(): Promise<PostgresBinaries> {
  const [major = ''] = (await readdir(folder)).toSorted((a, b) => Number(b) - Number(a));
  const program = (name: string) => join(folder, major, 'bin', name);
  return { major, postgres: program('postgres'), initdb: program('initdb'), env: {} };
}
