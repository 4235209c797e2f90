import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';

const run = promisify(execFile);
const samples = 20;

/** Plans through the API, in turns with bare Helm rendering the same chart against the same cluster. */
export async function planChanges(stack: Stack, { api, sample }: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(e) plan of a change against helm template --dry-run=server, ${samples} times in turns; ${loadOfMachine()}`);
  const { id, config } = await createHello(api, sample, 'planned');
  await waitForRunning(api, id);
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  try {
    const bare = await bareTemplate(stack, folder);
    const body = { config: { ...config, replicas: 3 } };
    await bare();
    unwrap(await api.deploymentPlans.of_update({ id, body }));
    await untilQuiet(say);
    const taken: { bare: number[]; plan: number[] } = { bare: [], plan: [] };
    for (let index = 0; index < samples; index += 1) {
      taken.bare.push(await timeOf(bare));
      taken.plan.push(await timeOf(async () => unwrap(await api.deploymentPlans.of_update({ id, body }))));
    }
    const p50 = { bare: quantile(taken.bare, 0.5), plan: quantile(taken.plan, 0.5) };
    say(`    bare p50 ${p50.bare.toFixed(0)} ms, p99 ${quantile(taken.bare, 0.99).toFixed(0)} ms`);
    say(`    plan p50 ${p50.plan.toFixed(0)} ms, p99 ${quantile(taken.plan, 0.99).toFixed(0)} ms`);
    say(`    ratio ${(p50.plan / p50.bare).toFixed(2)} × its time`);
    unwrap(await api.deployments.delete({ id }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function bareTemplate(
  { tools, kubeconfigFile, cluster }: Stack,
  folder: string,
): Promise<() => Promise<unknown>> {
  const env = { HOME: folder, PATH: process.env['PATH'] };
  const { stdout } = await run(tools.helm, ['package', sampleChart.folder, '--destination', folder], { env });
  const archive = /saved it to: (.+)$/m.exec(stdout)?.[1]?.trim() ?? '';
  const values = join(folder, 'values.json');
  await writeFile(values, JSON.stringify(sampleChart.inputs));
  const target = ['--namespace', 'default', '--kubeconfig', kubeconfigFile, '--kube-context', cluster];
  const args = ['template', '--dry-run=server', '--is-upgrade', ...target, '--values', values, 'bare', archive];
  return () => run(tools.helm, args, { env });
}
