import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from '@berth/devstack';

const folder = '/usr/lib/postgresql';

/** Debian's PostgreSQL, because the npm packages contain no pg_dump, and pg_dump refuses newer servers. */
export async function debianPostgres(): Promise<PostgresBinaries> {
  const [major = ''] = (await readdir(folder)).toSorted((a, b) => Number(b) - Number(a));
  const program = (name: string) => join(folder, major, 'bin', name);
  return { major, postgres: program('postgres'), initdb: program('initdb'), env: {} };
}
