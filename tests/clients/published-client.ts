import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../scripts/client/build-client.ts';
import { asNode20 } from './grounds/as-node-20.ts';
import { runInPage } from './grounds/run-in-page.ts';
import type { Grounds } from './grounds/grounds.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** In KiB: a bundle of a page may leave out what it does not use. */
const mostKiB = 24;

const deployInNode = `const [module, given, kind] = process.argv.slice(1);
const { deploy } = await import(module);
const lines = [];
const state = await deploy({ ...JSON.parse(given), say: (line) => lines.push(line) }, kind);
console.log(JSON.stringify({ state, log: lines.join('\\n') }));`;

export function testPublishedClient(grounds: () => Grounds): void {
  describe('the client, installed from its archive into an empty project', () => {
    let project: string;

    beforeAll(async () => {
      const { folder } = grounds();
      project = join(folder, 'project');
      await buildClient(join(folder, 'client'));
      await mkdir(project);
      const { stdout } = await run('npm', ['pack', './client', '--json', '--silent'], { cwd: folder });
      const [{ filename = '' } = {}]: { filename?: string }[] = JSON.parse(stdout);
      await writeFile(join(project, 'package.json'), '{"private": true, "type": "module"}');
      await run('npm', ['install', '--offline', '--silent', join('..', filename)], { cwd: project });
      const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8');
      await writeFile(join(project, 'deploy.ts'), /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '');
    });

    test('has no dependencies, and the size that its README states', async () => {
      const installed = join(project, 'node_modules/@berth/client');
      const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
      const module = await readFile(join(installed, 'index.js'), 'utf8');

      expect(manifest).not.toHaveProperty('dependencies');
      expect(module).not.toMatch(/\bfrom ['"]|\bimport\(|\bprocess\./);
      expect((await stat(join(installed, 'index.js'))).size).toBeLessThan(mostKiB * 1024);
      expect(await readFile(join(root, 'packages/client/README.md'), 'utf8')).toContain(`at most ${mostKiB} KiB`);
    });

    test('compiles the example of its README under strict, with declarations checked and skipped', async () => {
      const strict = ['deploy.ts', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', ''];
      const outcomes = await Promise.all([
        run(process.execPath, [tsc, ...strict, '--skipLibCheck', 'false'], { cwd: project }).then(() => '', String),
        run(process.execPath, [tsc, ...strict, '--noEmit', '--skipLibCheck'], { cwd: project }).then(() => '', String),
      ]);

      expect(outcomes).toEqual(['', '']);
    });

    test.concurrent.for(['node 24', 'node 20', 'web', 'page'])(
      'the example deploys and follows the log: %s',
      async (runtime) => {
        const { platform } = grounds();
        const module = join(project, 'deploy.js');
        const lines: string[] = [];
        const given = {
          url: platform.stack.url,
          token: platform.adminToken,
          env: 'clients',
          name: `by-${runtime.replace(' ', '-')}`,
          config: sampleChart.inputs,
        };
        const say = (line: string) => lines.push(line);
        const here = async ({ deploy }: Awaited<ReturnType<typeof runInPage>>) => {
          const state = await deploy?.({ ...given, say } as never, 'HelloWeb' as never);
          return { state, log: lines.join('\n') };
        };
        const elsewhere = async (...program: string[]) => {
          const { stdout } = await run(process.execPath, [...program, module, JSON.stringify(given), 'HelloWeb']);
          return JSON.parse(stdout);
        };
        const inWeb = fileURLToPath(new URL('web-runtime.mjs', import.meta.url));
        const runtimes: Record<string, () => Promise<unknown>> = {
          'node 24': async () => here(await import(pathToFileURL(module).href)),
          'node 20': () => elsewhere(...asNode20, '--input-type=module', '--eval', deployInNode),
          web: () => elsewhere('--no-warnings', '--experimental-vm-modules', inWeb),
          page: async () => here(await runInPage(module)),
        };

        expect(await runtimes[runtime]?.()).toMatchObject({ state: 'running', log: expect.stringContaining('Done') });
      },
    );
  });
}
