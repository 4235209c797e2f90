import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { asNode20 } from './grounds/as-node-20.ts';
import type { Grounds } from './grounds/grounds.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** In KiB, unpacked. */
const mostKiB = 640;

/** The archive of `npm pack`, its size, and `npx berth` in a checkout. */
export function testPackagedCli(grounds: () => Grounds): void {
  describe('berth, as a package', () => {
    let project: string;
    let installed: string;

    beforeAll(async () => {
      const { archive, folder } = grounds();
      project = join(folder, 'with-cli');
      await mkdir(project);
      await writeFile(join(project, 'package.json'), '{"private": true}');
      await run('npm', ['install', '--offline', '--silent', archive], { cwd: project });
      installed = join(project, 'node_modules/@berth/cli');
    });

    test('has no dependencies, the size that its README states, and the schema of sets', async () => {
      const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
      const files = await readdir(installed);
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(installed, file))).size));

      expect(manifest).not.toHaveProperty('dependencies');
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostKiB * 1024);
      expect(await readFile(join(root, 'packages/cli/README.md'), 'utf8')).toContain(`at most ${mostKiB} KiB`);
      expect(await readFile(join(installed, 'set.schema.json'), 'utf8')).toBe(
        await readFile(join(root, 'docs/set.schema.json'), 'utf8'),
      );
    });

    test('runs anywhere, with what Node 20 has', async () => {
      const { stdout } = await run(join(project, 'node_modules/.bin/berth'), ['--help'], { cwd: project });
      expect(stdout).toContain('Exit codes');

      const { platform } = grounds();
      const env = { BERTH_URL: platform.stack.url, BERTH_TOKEN: platform.adminToken, BERTH_CONFIG: '/nowhere.json' };
      const program = join(installed, 'berth.js');
      const old = (...args: string[]) => run(process.execPath, [...asNode20, program, ...args], { cwd: project, env });
      await old('export', '--to', 'exported');
      expect(await old('diff', '-f', 'exported')).toMatchObject({ stdout: '' });
      const chart = join(root, 'packages/devstack/sample-charts/hello-web');
      expect(await old('chart', 'lint', chart)).toMatchObject({ stderr: 'hello-web 1.0.0 has no defects\n' });
    });

    test('npx runs it from the sources in a checkout', async () => {
      const lint = ['--offline', 'berth', 'chart', 'lint', 'packages/devstack/sample-charts/hello-web'];

      expect((await run('npx', lint, { cwd: root })).stderr).toContain('hello-web 1.0.0 has no defects');
    });
  });
}
