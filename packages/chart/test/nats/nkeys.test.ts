import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus } from '@berth/bus/connect-bus';
import { busOptions, busSettings } from '@berth/bus/connection/bus-settings';
import { type CallerName, callerNames } from '@berth/contracts/definition/contract';
import { startServerProcess } from '@berth/devstack';
import { startForTest, toolsForTest } from '@berth/devstack/testing/with-servers';
import { freePort } from '@berth/testing/network/free-port';
import { greetsWithJetStream } from '@berth/testing/network/greets-with-jetstream';
import { silentLog } from '@berth/testing/test-bus';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { guideValues } from '../support/gitops-values.ts';
import { type HelmInTest, type Manifest, merged, startHelm } from '../support/helm-in-test.ts';
import { natsText } from '../support/nats-text.ts';
import { neededByPods } from '../support/needed-by-pods.ts';

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const withStreams = callerNames.filter((name) => name !== 'runner');
const users = [...callerNames, ...withStreams.map((name) => `${name}-streams`)];
const pairs = new Map(users.map((user) => [user, nkeys.createUser()]));
const seedOf = (user: string) => Buffer.from(pairs.get(user)?.getSeed() ?? []).toString();
const publicKeys = Object.fromEntries([...pairs].map(([user, pair]) => [user, pair.getPublicKey()]));
const another = nkeys.createUser().getPublicKey();

const render = async (keys: Record<string, string>, nats: object = {}): Promise<Manifest[]> =>
  helm.render(merged(await guideValues(), { global: { nats: { nkeys: keys, ...nats } } }));

/** A server whose configuration is written as docs/nats.md says, with the rendered accounts. */
async function startNats(manifests: readonly Manifest[]): Promise<string> {
  const { stateFolder, guard, signal } = await startForTest();
  const { 'nats-server': program } = await toolsForTest('nats-server');
  const port = await freePort();
  const configFile = join(stateFolder, 'nats.conf');
  await writeFile(join(stateFolder, 'accounts.conf'), natsText(manifests, 'accounts.conf'));
  const lines = [`listen: 127.0.0.1:${port}`, `jetstream { store_dir: ${stateFolder}/js, max_file_store: 4GB }`];
  await writeFile(configFile, [...lines, 'include accounts.conf', ''].join('\n'));
  await startServerProcess({
    name: 'nats',
    command: [program, '--config', configFile],
    logFile: join(stateFolder, 'nats.log'),
    guard,
    signal,
    isReady: () => greetsWithJetStream(port),
  });
  return `nats://127.0.0.1:${port}`;
}

function busOf(caller: CallerName, url: string, passwords: Record<string, string>) {
  const options = busOptions(z.object(busSettings).parse({ NATS_URL: url, ...passwords }));
  return connectBus({ ...options, caller, log: silentLog, patienceMs: 0, signal: AbortSignal.timeout(60_000) });
}

const seedsOf = (caller: CallerName) => ({
  NATS_PASSWORD: seedOf(caller),
  ...(caller !== 'runner' && { NATS_STREAMS_PASSWORD: seedOf(`${caller}-streams`) }),
});

describe('with nkeys', () => {
  test('every part works on a NATS that has only public keys, and not with the seed of another part', async () => {
    const manifests = await render(publicKeys);
    const url = await startNats(manifests);

    for (const caller of callerNames) {
      await using bus = await busOf(caller, url, seedsOf(caller));
      expect(bus.isConnected()).toBe(true);
      if (caller === 'tasks') await bus.state.ensureStream();
    }
    await expect(busOf('auth', url, { NATS_PASSWORD: seedOf('tasks') })).rejects.toThrow(
      'NATS does not let auth publish',
    );
    const unknown = Buffer.from(nkeys.createUser().getSeed()).toString();
    await expect(busOf('tasks', url, { NATS_PASSWORD: unknown })).rejects.toThrow('NATS refuses the user tasks');
    const half = { NATS_PASSWORD: seedOf('tasks'), NATS_STREAMS_PASSWORD: unknown };
    await expect(busOf('tasks', url, half)).rejects.toThrow('NATS refuses the user tasks-streams');
  });

  test('the configuration for NATS has no secret, and pods read exactly their own seeds', async () => {
    const manifests = await render(publicKeys);

    expect(natsText(manifests, 'accounts.conf')).not.toMatch(/password/i);
    const seeds = neededByPods(manifests).flatMap(({ name, key }) => (name === 'berth-nats' && key ? [key] : []));
    expect(seeds.toSorted()).toEqual(users.toSorted());
    for (const manifest of manifests.filter(({ kind }) => kind === 'Deployment')) {
      const part = manifest.metadata.name.replace('ship-berth-', '');
      const own = neededByPods([manifest]).flatMap(({ name, key }) => (name === 'berth-nats' && key ? [key] : []));
      expect(own.filter((key) => key !== part && key !== `${part}-streams`)).toEqual([]);
    }
  });

  test.for<[string, string, () => Record<string, string>, object]>([
    ['that lack a user', 'global.nats.nkeys.runner: required', () => ({ ...publicKeys, runner: '' }), {}],
    ['of an unknown user', 'global.nats.nkeys.server: there is no', () => ({ ...publicKeys, server: another }), {}],
    [
      'that two users share',
      'global.nats.nkeys.tasks: must differ from that of auth',
      () => ({ ...publicKeys, tasks: publicKeys['auth'] ?? '' }),
      {},
    ],
    ['that are seeds', "at '/global/nats/nkeys/runner'", () => ({ ...publicKeys, runner: seedOf('runner') }), {}],
    ['without their seeds', 'global.nats.existingSecret: required', () => publicKeys, { existingSecret: '' }],
    ['of a bundled NATS', 'global.nats.nkeys: must be empty', () => publicKeys, { bundled: true, url: '', ca: null }],
  ])('public keys %s are refused, and the error names the value', async ([, words, keys, nats]) => {
    const { runner = '', ...others } = keys();
    const given = runner === '' ? others : { ...others, runner };

    await expect(render(given, nats)).rejects.toThrow(words);
  });
});
