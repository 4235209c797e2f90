import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { chart } from './support/helm-in-test.ts';

const run = promisify(execFile);
const hasPromtool = await run('promtool', ['--version'], { timeout: 10_000 }).then(
  () => true,
  () => false,
);

// promtool comes with Prometheus: `apt-get install prometheus`.
test.skipIf(!hasPromtool)(
  'promtool finds that each alert fires in its own case and in no other',
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-alerts-'));
    try {
      for (const file of ['alerts.yaml', 'slos.yaml']) await copyFile(`${chart}files/${file}`, join(folder, file));
      await copyFile(fileURLToPath(new URL('alerts.promtool.yaml', import.meta.url)), join(folder, 'tests.yaml'));

      const { stdout } = await run('promtool', ['test', 'rules', 'tests.yaml'], { cwd: folder, timeout: 280_000 });

      expect(stdout).toContain('SUCCESS');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
