// What keeps the tests of images and real pods from running here, one line each; nothing where they can. With --try, also what
// only trying shows: that takes half a minute, and tools that have been brought.
import { missingForDeployTests, withSystemPrograms } from './needs.ts';
import { refusedByMachine } from './try-machine.ts';

process.env['PATH'] = withSystemPrograms(process.env['PATH']);
const missing = await missingForDeployTests(process.env['PATH']);
if (missing.length === 0 && process.argv.includes('--try')) {
  missing.push(...(await refusedByMachine(AbortSignal.timeout(4 * 60_000))));
}
for (const line of missing) process.stdout.write(`${line}\n`);
