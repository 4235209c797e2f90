import { buildImages } from './build-images.ts';
import { missingForDeployTests, withSystemPrograms } from './needs.ts';

/** Once per run: refuses where the machine lacks something, with what to install, and builds the images where they are not given. */
export default async function deploySetup(): Promise<void> {
  process.env['PATH'] = withSystemPrograms(process.env['PATH']);
  const missing = await missingForDeployTests(process.env['PATH']);
  if (missing.length > 0)
    throw new Error(`the tests of images and real pods cannot run here:\n  ${missing.join('\n  ')}`);
  process.env['BERTH_REAL_NODE'] = '1';
  if (process.env['BERTH_IMAGES']) return;

  process.stderr.write('test servers: building the images (minutes)\n');
  process.env['BERTH_IMAGES'] = await buildImages();
}
