// What keeps the tests of images and real pods from running here, one line each; nothing where they can.
import { missingForDeployTests } from './needs.ts';

for (const line of await missingForDeployTests(process.env['PATH'] ?? '')) process.stdout.write(`${line}\n`);
