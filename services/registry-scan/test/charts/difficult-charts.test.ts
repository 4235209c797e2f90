import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import { ensureTools } from '@berth/devstack';
import { beforeAll, describe, expect, test } from 'vitest';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { difficultCharts, refusals, versionOf } from '../support/difficult-charts.ts';
import { ecrInTest } from '../support/ecr-in-test.ts';
import { startIndexServer } from '../support/index-server.ts';
import { registryInTest } from '../support/registry-in-test.ts';

const names = Object.keys(difficultCharts);
const archives = new Map<string, Buffer>();
beforeAll(async () => {
  for (const [name, pack] of Object.entries(difficultCharts)) archives.set(name, await pack(versionOf(name)));
});

test(
  'Helm renders the difficult charts, except those that are refused',
  async () => {
    const signal = AbortSignal.timeout(20 * 60_000);
    const { helm } = await ensureTools({ names: ['helm'], env: process.env, log: console.log, signal });
    const folder = await mkdtemp(join(tmpdir(), 'berth-difficult-'));
    const refused: string[] = [];
    for (const [name, archive] of archives) {
      const file = join(folder, `${name}.tgz`);
      await writeFile(file, archive);
      const rendered = promisify(execFile)(helm, ['template', 'web', file], {
        env: { HOME: folder },
        maxBuffer: 64 * 1024 * 1024,
      });
      await rendered.catch(() => refused.push(name));
    }
    await rm(folder, { recursive: true });

    expect(refused).toEqual(Object.keys(refusals));
  },
  20 * 60_000,
);

describe('the difficult charts', () => {
  const { charts, scan, server, service } = registryInTest();
  const { startEcr } = ecrInTest();

  const verdict = ({ image_tag, error, available, parsed_version }: HelmChart) => ({
    tag: image_tag,
    error,
    available,
    version: error === null ? parsed_version : null,
  });
  const expected = names
    .map((name) => ({
      tag: versionOf(name),
      error: refusals[name] ? expect.stringMatching(refusals[name]) : null,
      available: true,
      version: refusals[name] ? null : versionOf(name),
    }))
    .toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
  const found = async () => (await charts()).map(verdict).toSorted((one, other) => (one.tag < other.tag ? -1 : 1));

  test('are read in an OCI registry', async () => {
    for (const [name, archive] of archives) server().push('charts/web', versionOf(name), archive);

    expect(await scan()).toMatchObject({ failed: 0 });

    expect(await found()).toEqual(expected);
  });

  test('are read in a chart repository', async () => {
    await using index = await startIndexServer();
    for (const [name, archive] of archives) index.add('web', versionOf(name), archive);

    const registry = service().addRegistry(index.registry);
    expect(await scanRegistry(service().scan, registry, AbortSignal.timeout(60_000))).toMatchObject({ failed: 0 });

    expect(await found()).toEqual(expected);
  });

  test('are read in ECR', async () => {
    const { push, registry } = await startEcr();
    for (const [name, archive] of archives) await push(versionOf(name), archive);

    expect(await scanRegistry(service().scan, registry, AbortSignal.timeout(60_000))).toMatchObject({ failed: 0 });

    expect(await found()).toEqual(expected);
  });
});
