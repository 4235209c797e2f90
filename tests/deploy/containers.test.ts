import { join } from 'node:path';
import type { Client } from '@berth/client';
import { callerNames } from '@berth/contracts/definition/contract';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { createHello, waitForRunning } from '@berth/devstack/journey/hello-deployment';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { StartedTestContainer } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Platform, startPlatform } from '../setup/platform.ts';
import { type DockerEngine, startDockerEngine } from './setup/docker-engine.ts';
import { imageArchive } from './setup/images/image-archive.ts';
import { startServiceContainer, UID } from './setup/service-container.ts';

let engine: DockerEngine;
let platform: Platform;
let folder: string;
const guard = startProcessGuard();
const containers = new Map<string, StartedTestContainer>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-engine-'));
  engine = await startDockerEngine({ stateFolder: folder, guard, signal: AbortSignal.timeout(600_000) });
  process.env['DOCKER_HOST'] = engine.host;
  // The engine has no bridge network with a gateway.
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1';
  // Its image would have to be pulled, and it is not needed: all containers end with this test's engine.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  for (const name of callerNames) await engine.load(imageArchive(name));
  platform = await startPlatform({
    startService: async (service) => {
      const started = await startServiceContainer(service);
      containers.set(service.name, started.container);
      return started;
    },
  });
}, 600_000);

afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await engine?.stop();
  await guard.close();
  await rm(folder, { recursive: true, force: true });
  // Removes the lock file of testcontainers.
  await rm(join(tmpdir(), 'testcontainers-node-0.lock'), { force: true });
}, 120_000);

describe('five services and a runner from images', () => {
  test('a pushed chart is discovered, deployed by Helm, and runs', async () => {
    const api: Client = platform.admin;
    const sample = await platform.sample('containers');

    const deployment = await createHello(api, sample, 'from-images');

    expect(await waitForRunning(api, deployment.id)).toMatchObject({ name: 'from-images', status: 'Running' });
  });

  test.for(callerNames)(
    '%s runs as an unprivileged user with a read-only root and no more of a shell than it needs',
    async (name) => {
      const container = containers.get(name);
      const script = `
      const fs = require('fs');
      const writes = (file) => { try { fs.writeFileSync(file, ''); return true; } catch (error) { return error.code; } };
      const status = fs.readFileSync('/proc/1/status', 'utf8');
      console.log(JSON.stringify({
        uid: process.getuid(), gid: process.getgid(), capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
        root: writes('/berth/x'), tmp: writes('/tmp/x'), shells: ['/bin/sh', '/bin/bash', '/usr/bin/sh'].filter((path) => fs.existsSync(path)),
      }));`;

      const { output } = await container!.exec(['node', '--eval', script]);

      expect(JSON.parse(output)).toEqual({
        uid: UID,
        gid: UID,
        capabilities: '0000000000000000',
        root: 'EROFS',
        tmp: true,
        // The runner's shell becomes Helm.
        shells: name === 'runner' ? ['/bin/sh'] : [],
      });
    },
  );

  test.for(callerNames)('the bill of materials of %s lists exactly the packages in its image', async (name) => {
    const list = `
      const fs = require('fs');
      const bill = JSON.parse(fs.readFileSync('/berth/bom.cdx.json', 'utf8'));
      const listed = bill.components.map(({ purl }) => purl).filter((purl) => purl.startsWith('pkg:npm/') && !purl.includes('%40berth'));
      const there = fs.readdirSync('/berth/node_modules/.pnpm').filter((folder) => folder !== 'node_modules').map((folder) => {
        const at = fs.readdirSync('/berth/node_modules/.pnpm/' + folder + '/node_modules').filter((entry) => !entry.startsWith('.'));
        const [, scoped] = /^(@?[^@]+)@/.exec(folder);
        const path = scoped.replace('+', '/');
        const { name, version } = JSON.parse(fs.readFileSync('/berth/node_modules/.pnpm/' + folder + '/node_modules/' + path + '/package.json', 'utf8'));
        return 'pkg:npm/' + name.replace('@', '%40') + '@' + version;
      });
      console.log(JSON.stringify({ name: bill.metadata.component.name, listed: [...new Set(listed)].sort(), there: [...new Set(there)].sort() }));`;

    const { output } = await containers.get(name)!.exec(['node', '--eval', list]);
    const { name: component, listed, there } = JSON.parse(output);

    expect(component).toBe(`berth-${name}`);
    expect(there.length).toBeGreaterThan(20);
    expect(listed).toEqual(there);
  });
});
