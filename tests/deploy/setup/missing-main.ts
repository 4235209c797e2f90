// Prints the reasons why the tests of images and real pods cannot run here, one per line; prints nothing if they can. With --try
// it also tries the machine, which takes half a minute and needs the tools.
import { missingForDeployTests, withSystemPrograms } from '../../setup/needs.ts';
import { refusedByMachine } from './try-machine.ts';

process.env['PATH'] = withSystemPrograms(process.env['PATH']);
const missing = await missingForDeployTests(process.env['PATH']);
if (missing.length === 0 && process.argv.includes('--try')) {
  missing.push(...(await refusedByMachine(AbortSignal.timeout(4 * 60_000))));
}
for (const line of missing) process.stdout.write(`${line}\n`);
