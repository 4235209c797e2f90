import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@berth/contracts/fields/json';
import { testChartFiles } from './probe-chart.ts';
import type { RunnerWorld } from './runner-world.ts';

const run = promisify(execFile);

/** Installs or upgrades the release of a namespace with the chart of the tests, as an administrator without Berth. */
export async function upgradeByHand(
  { helm, kubeconfigFile }: RunnerWorld,
  namespace: string,
  values: JsonObject,
  ...options: string[]
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-by-hand-'));
  try {
    for (const [name, text] of Object.entries(testChartFiles)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const file = join(folder, 'of-hand.json');
    await writeFile(file, JSON.stringify(values));
    const target = ['--namespace', namespace, '--create-namespace', '--kubeconfig', kubeconfigFile];
    await run(helm, ['upgrade', '--install', namespace, folder, '--values', file, ...target, ...options]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
