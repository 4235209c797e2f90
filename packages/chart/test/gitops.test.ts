import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callerNames } from '@berth/contracts/definition/contract';
import { toolsForTest } from '@berth/devstack/testing/with-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broughtEvaluation, broughtSecrets, guideValues } from './support/gitops-values.ts';
import {
  chart,
  type HelmInTest,
  type Manifest,
  merged,
  podOf,
  startHelm,
  type Values,
} from './support/helm-in-test.ts';
import { natsText } from './support/nats-text.ts';

const run = promisify(execFile);

let helm: HelmInTest;
let folder: string;
beforeAll(async () => {
  helm = await startHelm();
  folder = await mkdtemp(join(tmpdir(), 'berth-gitops-'));
}, 20 * 60_000);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const passwords = Object.fromEntries([...callerNames, 'routes'].map((name, index) => [name, `${index}1"%of $${name}`]));

describe.for<[string, () => Promise<Values>]>([
  ['as the guide says for Argo CD and Flux', guideValues],
  ['of an evaluation whose Secrets are brought', async () => broughtEvaluation],
])('a rendering without a cluster %s', ([, valuesOf]) => {
  let manifests: Manifest[];
  let text: string;
  let again: string;
  beforeAll(async () => {
    const values = await valuesOf();
    text = await helm.helm(['template', 'berth', chart, '-n', 'berth'], values);
    manifests = await helm.render(values);
    again = await helm.helm(['template', 'berth', chart, '-n', 'berth'], values);
  });

  test('is the same each time, and has no Secret that anything could be lost with', () => {
    expect(again).toBe(text);
    const secrets = manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);

    expect(secrets).toEqual(['ship-berth-nats-config']);
    expect(text).not.toContain('helm.sh/hook: pre-');
  });

  test('is complete: every part, and the Job that makes roles and schemas, which the services wait for', () => {
    const named = (kind: string) =>
      manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name.replace('ship-berth-', ''));
    const waits = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .filter((manifest) => podOf(manifest)?.initContainers?.some(({ name }) => name === 'wait-for-database'));

    expect(named('Deployment').toSorted()).toEqual(callerNames.toSorted());
    expect(named('Job').map((name) => name.replace(/-[0-9a-f]{8}$/, ''))).toEqual(['auth-set-up-database']);
    expect(waits).toHaveLength(4);
  });
});

test('a rendering without a cluster is refused if it would make keys or passwords, unless it is a trial', async () => {
  for (const name of ['keys', 'nats', 'postgresql'] as const) {
    const others = { ...broughtSecrets, [name]: { existingSecret: '' } };

    await expect(helm.render(merged(broughtEvaluation, { global: others }))).rejects.toThrow(
      new RegExp(`global\\.${name}\\.existingSecret: required where .*global\\.trial`),
    );
    await expect(helm.render(merged(broughtEvaluation, { global: { ...others, trial: true } }))).resolves.not.toEqual(
      [],
    );
  }
});

test('a bundled NATS gets its configuration from the passwords that were brought, whatever they contain', async () => {
  const manifests = await helm.render(broughtEvaluation);
  for (const name of ['nats.conf', 'write-config.mjs']) await writeFile(join(folder, name), natsText(manifests, name));
  for (const [name, password] of Object.entries(passwords)) await writeFile(join(folder, name), `${password}\n`);
  const { 'nats-server': server } = await toolsForTest('nats-server');

  const file = join(folder, 'whole.conf');
  await run(process.execPath, [join(folder, 'write-config.mjs'), folder, file], { timeout: 20_000 });
  const { stderr } = await run(server, ['-t', '-c', file], { timeout: 20_000 });

  expect(stderr).toContain('configuration file');
  const whole = await readFile(file, 'utf8');
  expect(whole).not.toContain('<password');
  expect(whole).toContain(`"password": ${JSON.stringify(passwords['runner'])}`);
});

test('a NATS elsewhere reads the passwords that were brought from its environment', async () => {
  const manifests = await helm.render(await guideValues());
  const text = natsText(manifests, 'accounts.conf');
  await writeFile(join(folder, 'accounts.conf'), text);
  const file = join(folder, 'own.conf');
  await writeFile(file, 'port: 4222\ninclude ./accounts.conf\n');
  const { 'nats-server': server } = await toolsForTest('nats-server');
  const check = (env: Record<string, string>) => run(server, ['-t', '-c', file], { timeout: 20_000, env });

  const names = [...new Set(text.match(/\$BERTH_PASSWORD_[A-Z_]+/g))].map((name) => name.slice(1));
  const quoted = Object.fromEntries(names.map((name) => [name, '"1e5 is a password"']));

  expect(names).toHaveLength(callerNames.length);
  expect(text).toContain('max_payload');
  expect((await check(quoted)).stderr).toContain('configuration file');
  await expect(check({})).rejects.toThrow('BERTH_PASSWORD');
});
