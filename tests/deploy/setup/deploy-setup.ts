import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missingForDeployTests, withSystemPrograms } from './needs.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Once per run: refuses where the machine lacks something, with what to install, and builds the images. */
export default async function deploySetup(): Promise<void> {
  process.env['PATH'] = withSystemPrograms(process.env['PATH']);
  const missing = await missingForDeployTests(process.env['PATH']);
  if (missing.length > 0)
    throw new Error(`the tests of images and real pods cannot run here:\n  ${missing.join('\n  ')}`);
  process.env['BERTH_REAL_NODE'] = '1';
  if (process.env['BERTH_IMAGES']) return;

  const output = join(root, 'dist/images');
  const build = async (...args: string[]) => {
    await run(process.execPath, args, { cwd: root, timeout: 30 * 60_000, maxBuffer: 64 * 1024 ** 2 });
  };
  process.stderr.write('test servers: building the images (minutes)\n');
  await build('scripts/build.ts');
  await build(
    'scripts/images/images-main.ts',
    '--builder',
    'buildah',
    '--format',
    'docker',
    '--tag',
    '0.1.0',
    '--output',
    output,
  );
  process.env['BERTH_IMAGES'] = output;
}
