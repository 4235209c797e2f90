// Builds the images once for several runs of `npm run test:deploy` and prints their folder for BERTH_IMAGES. With `--built`, it
// uses contents that `npm run build` has just made.
import { buildImages } from './images/build-images.ts';

process.stderr.write('test servers: building the images (minutes)\n');
process.stdout.write(`${await buildImages({ contentsAreBuilt: process.argv.includes('--built') })}\n`);
