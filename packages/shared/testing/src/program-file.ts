import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

/** The file to run for a source that starts a service: the bundle that this run of all tests has made of it, or else the source. */
export function programFile(source: string): string {
  const { TEST_BUNDLES } = process.env;
  if (TEST_BUNDLES === undefined) return source;
  const bundle = join(TEST_BUNDLES, relative(checkout, source).replace(/\.ts$/, '.js'));
  return existsSync(bundle) ? bundle : source;
}
