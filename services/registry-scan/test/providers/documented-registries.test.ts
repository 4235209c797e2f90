import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Config } from '../../src/config.ts';

test('the registries that the manual for operators shows can be configured', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-documented-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'ca.pem'), '');
  const manual = await readFile(new URL('../../../../docs/operators.md', import.meta.url), 'utf8');
  const [, section = ''] = manual.split('\n## Registries\n');
  const [, example = ''] = /```json\n(.+?)```/s.exec(section) ?? [];

  const { registries } = Config.parse({
    NATS_URL: 'nats://127.0.0.1:4222',
    NATS_PASSWORD: 'x',
    DATABASE_URL: 'postgres://127.0.0.1/berth',
    REGISTRIES: example.replaceAll('/secrets/', `${folder}/`),
  });

  expect(registries.map(({ source: { domain, provider }, events }) => [domain, provider, events?.host])).toEqual([
    ['registry.example.com', 'Oci', undefined],
    ['harbor.example.com', 'Oci', undefined],
    ['zot.example.com', 'Oci', undefined],
    ['ghcr.io', 'Oci', undefined],
    ['charts.example.com/stable', 'HelmRepo', undefined],
    ['123456789012.dkr.ecr.eu-west-1.amazonaws.com', 'Ecr', '123456789012 in eu-west-1'],
  ]);
});
