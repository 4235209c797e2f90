// Builds the console into the gateway, unless the existing build is of the same sources.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { filesIn, root } from '../rules/sources.ts';

const built = join(root, 'services/api-gateway/console');
const mark = join(root, 'node_modules/.berth-console');

// What goes into a build: its own sources, those of the client, and the versions of everything else.
const hash = createHash('sha256');
for (const folder of ['packages/console', 'packages/client/src', 'packages/shared/contracts/src', 'scripts/console'])
  for (const file of filesIn(folder).sort()) hash.update(file).update(readFileSync(join(root, folder, file)));
const digest = hash.update(readFileSync(join(root, 'pnpm-lock.yaml'))).digest('hex');

if (!existsSync(join(built, 'index.html')) || !existsSync(mark) || readFileSync(mark, 'utf8') !== digest) {
  process.stderr.write('berth: building the console (the first time, and after its sources changed)\n');
  // A test runner sets another value, which would build React for development.
  process.env['NODE_ENV'] = 'production';
  await build({ configFile: join(root, 'packages/console/vite.config.ts'), logLevel: 'warn' });
  writeFileSync(mark, digest);
}
