import { buildImages } from './images/build-images.ts';
import { missingForDeployTests, withSystemPrograms } from '../../setup/needs.ts';

/** Runs once: fails with what to install if the machine lacks something, and builds the images unless they are given. */
export default async function deploySetup(): Promise<void> {
  process.env['PATH'] = withSystemPrograms(process.env['PATH']);
  const missing = await missingForDeployTests(process.env['PATH']);
  if (missing.length > 0)
    throw new Error(`the tests of images and real pods cannot run here:\n  ${missing.join('\n  ')}`);
  process.env['BERTH_REAL_NODE'] = '1';
  if (process.env['BERTH_IMAGES']) return;

  process.stderr.write('test servers: building the images (minutes)\n');
  process.env['BERTH_IMAGES'] = await buildImages({ contentsAreBuilt: false });
}
