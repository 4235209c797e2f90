import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Stack } from '../stack/start-stack.ts';
import { ToolUnavailable } from '../tools/tool-unavailable.ts';

const run = promisify(execFile);

export const sampleChart = {
  name: 'hello-web',
  version: '1.0.0',
  /** Path of the chart in the registry. */
  repository: 'charts/hello-web',
  inputs: { greeting: 'Hello from Berth', replicas: 2 },
  folder: fileURLToPath(new URL('../../sample-charts/hello-web/', import.meta.url)),
};

interface Publish {
  stack: Pick<Stack, 'tools' | 'registry'>;
  signal: AbortSignal;
}

/** Packages and pushes the sample chart, unless the registry already has it. */
export async function publishSampleChart({ stack, signal }: Publish): Promise<void> {
  const { repository, version } = sampleChart;
  const existing = await fetch(`${stack.registry.url}/v2/${repository}/manifests/${version}`, {
    method: 'HEAD',
    headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    signal,
  });
  if (existing.ok) return;
  await pushChart({ ...stack, folder: sampleChart.folder, signal });
}

interface PushChart extends Pick<Stack, 'tools' | 'registry'> {
  folder: string;
  signal: AbortSignal;
}

/** Packages a chart's folder and pushes it into the path `charts/` of the registry, with Helm. */
export async function pushChart({ tools, registry, folder, signal }: PushChart): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'berth-chart-'));
  const options = { signal, timeout: 60_000, env: { HOME: work, PATH: process.env['PATH'] } };
  try {
    const { stdout } = await run(tools.helm, ['package', folder, '--destination', work], options);
    const archive = /saved it to: (.+)$/m.exec(stdout)?.[1];
    if (archive === undefined) throw new ToolUnavailable(`helm package did not say where it put the chart: ${stdout}`);
    await run(
      tools.helm,
      ['push', archive.trim(), `oci://${new URL(registry.url).host}/charts`, '--plain-http'],
      options,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
