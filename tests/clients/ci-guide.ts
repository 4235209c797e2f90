import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseYaml } from '@berth/chart-extensions/files/parse-yaml';
import { unwrap } from '@berth/client';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';

const run = promisify(execFile);
const guide = fileURLToPath(new URL('../../docs/ci.md', import.meta.url));

interface Workflow {
  jobs: { deploy: { env: Record<string, string>; steps: { run?: string; env?: Record<string, string> }[] } };
}
interface GitLab {
  deploy: { script: string[]; variables: Record<string, string> };
}

const contentOf = (text: string): unknown => parseYaml(text)?.documents[0]?.toJS();

/** Every command of docs/ci.md, run as its pipeline would. */
export function testCiGuide(grounds: () => Grounds): void {
  describe('docs/ci.md, run by its commands', () => {
    let folder: string;
    let env: Record<string, string>;
    let token: string;
    let blocks: string[];
    /** The code under a heading. */
    const under = (heading: string): string =>
      blocks.find((block) => block.startsWith(heading))?.slice(heading.length) ?? '';
    const bash = (script: string, more: Record<string, string> = {}) =>
      run('bash', ['-o', 'errexit', '-o', 'nounset', '-o', 'pipefail', '-c', script], {
        cwd: folder,
        env: { ...env, ...more },
      });

    beforeAll(async () => {
      const { archive, platform, program, folder: all } = grounds();
      const text = await readFile(guide, 'utf8');
      blocks = [...text.matchAll(/^## (.*)\n[^]*?^```(?:sh|yaml)\n([^]*?)^```$/gm)].map(
        ([, heading, code]) => `${heading}\n${code}`,
      );
      folder = join(all, 'pipeline');
      for (const name of ['bin', 'npm', 'home']) await mkdir(join(folder, name), { recursive: true });
      await cp(sampleChart.folder, join(folder, 'chart'), { recursive: true });
      // The registry of the tests speaks plain HTTP and has no accounts.
      const { stack } = platform;
      const plain = 'case "$1" in push) set -- "$@" --plain-http;; registry) cat > "$HOME/password"; exit 0;; esac';
      await writeFile(join(folder, 'bin/helm'), `#!/bin/bash\n${plain}\nexec ${stack.tools.helm} "$@"\n`, {
        mode: 0o755,
      });
      await writeFile(join(folder, 'bin/berth'), `#!/bin/bash\nexec ${process.execPath} ${program} "$@"\n`, {
        mode: 0o755,
      });
      env = {
        PATH: `${join(folder, 'npm/bin')}:${join(folder, 'bin')}:${process.env['PATH']}`,
        HOME: join(folder, 'home'),
        npm_config_prefix: join(folder, 'npm'),
        npm_config_offline: 'true',
        BERTH_URL: stack.url,
        BERTH_CONFIG: '/nowhere.json',
        BERTH_CLI: archive,
        REGISTRY: new URL(stack.registry.url).host,
      };
      const script = under('A bot and its token\n').replaceAll('-e prod', '-e clients');
      await bash(script, { BERTH_TOKEN: platform.adminToken });
      token = (await readFile(join(folder, 'token'), 'utf8')).trim();
    });

    /** Runs a script with the token of the bot, and returns what is deployed afterwards. */
    async function deployedBy(
      script: string,
      more: Record<string, string> = {},
    ): Promise<{ stdout: string; stderr: string; chart: string }> {
      const ran = await bash(script.replaceAll('-e prod', '-e clients'), { BERTH_TOKEN: token, ...more });
      const { admin } = grounds().platform;
      const [web] = unwrap(
        await admin.deployments.list({ query: { name: 'web', env_id: grounds().sample.cluster.env_id ?? '' } }),
      ).items;
      const chart = unwrap(await admin.helmCharts.get({ id: web?.helm_chart_id ?? '' }));
      return { ...ran, chart: chart.image_tag };
    }
    const done = { stdout: expect.stringMatching(/^task\//m), stderr: expect.stringContaining('Done') };

    test('a plain shell builds, pushes and deploys', async () => {
      expect(await deployedBy(under('A plain shell\n'))).toMatchObject({
        ...done,
        chart: expect.stringMatching(/^1\.0\.\d{9,}$/),
      });
    });

    test('GitHub Actions does, and a repeated step does nothing twice', async () => {
      const { jobs } = contentOf(under('GitHub Actions\n')) as Workflow;
      const steps = jobs.deploy.steps.flatMap(({ run: script }) => script ?? []);
      expect(Object.keys(jobs.deploy.env)).toEqual(['BERTH_URL', 'BERTH_CLI', 'REGISTRY']);
      expect(steps.join('')).not.toContain('${{');
      const runner = { GITHUB_RUN_NUMBER: '7', REGISTRY_PASSWORD: 'x' };

      expect(await deployedBy(steps.join('\n'), runner)).toMatchObject({ ...done, chart: '1.1.7' });
      const repeated = await deployedBy(steps.at(-1) ?? '', runner);
      expect(repeated).toMatchObject({ chart: '1.1.7', stderr: expect.stringContaining('already') });
      expect(repeated.stdout).not.toContain('task/');
    });

    test('GitLab CI does', async () => {
      const { deploy } = contentOf(under('GitLab CI\n')) as GitLab;
      const gitlab = { CI_PIPELINE_IID: '8', REGISTRY_PASSWORD: 'x' };

      expect(await deployedBy(deploy.script.join('\n'), gitlab)).toMatchObject({ ...done, chart: '1.2.8' });
    });

    test('a set in Git is compared and applied, and what it created is pushed', async () => {
      const git = `git init --quiet --bare --initial-branch main remote && git clone --quiet remote . 2> /dev/null || true
        git init --quiet --initial-branch main; git remote add origin ./remote 2> /dev/null || true
        git config user.email ci@example.com; git config user.name ci; git config push.autoSetupRemote true
        mkdir envs; printf 'apiVersion: berth.dev/v1\\nkind: Env\\nname: from-git\\n' > envs/from-git.yaml; git add envs; git commit --quiet -m set`;
      await bash(git);

      await bash(under('Envs in Git\n'), { BERTH_TOKEN: grounds().platform.adminToken });

      expect((await bash('git --git-dir remote show main:envs/berth-set.json')).stdout).toContain('Env/from-git');
    });
  });
}
