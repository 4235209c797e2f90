import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { portOf } from '@berth/testing/network/port-of';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startForTest, toolsForTest } from '../testing/with-servers.ts';
import { startRegistry } from './registry.ts';

const run = promisify(execFile);

let tools: Record<'registry' | 'helm', string>;
beforeAll(async () => {
  tools = await toolsForTest('registry', 'helm');
}, 20 * 60_000);

test('the registry notifies the configured endpoint of a pushed chart, with the configured Authorization', async () => {
  const start = await startForTest();
  const hook = await startHook();
  const notify = { url: hook.url, authorization: 'Bearer agreed' };
  const registry = await startRegistry({ ...start, program: tools.registry, notify });

  await pushChart(start.stateFolder, registry.address);

  await expect
    .poll(() => hook.events.find(({ tag }) => tag === '0.1.0'))
    .toMatchObject({
      action: 'push',
      repository: 'charts/hello',
      authorization: 'Bearer agreed',
    });
  await registry.stop();
});

test('a restarted registry has its charts and allows deleting them', async () => {
  const start = await startForTest();
  const first = await startRegistry({ ...start, program: tools.registry });
  await pushChart(start.stateFolder, first.address);

  await first.stop();
  const second = await startRegistry({ ...start, program: tools.registry });

  expect(second.address).toBe(first.address);
  const manifest = `${second.url}/v2/charts/hello/manifests`;
  const accept = { headers: { Accept: 'application/vnd.oci.image.manifest.v1+json' } };
  const digest = (await fetch(`${manifest}/0.1.0`, accept)).headers.get('docker-content-digest');
  expect((await fetch(`${manifest}/${digest}`, { method: 'DELETE' })).status).toBe(202);
  expect((await fetch(`${manifest}/0.1.0`, accept)).status).toBe(404);
  await second.stop();
});

async function pushChart(folder: string, address: string): Promise<void> {
  const env = { HOME: folder, PATH: '/usr/bin:/bin' };
  await run(tools.helm, ['create', 'hello'], { cwd: folder, env });
  await run(tools.helm, ['package', 'hello'], { cwd: folder, env });
  await run(tools.helm, ['push', join(folder, 'hello-0.1.0.tgz'), `oci://${address}/charts`, '--plain-http'], { env });
}

interface SeenEvent {
  action: string;
  repository: string;
  tag: string | undefined;
  authorization: string | undefined;
}

/** A server that records the registry's events. */
async function startHook() {
  const events: SeenEvent[] = [];
  const keep = async (request: IncomingMessage) => {
    const body: { events: { action: string; target: { repository: string; tag?: string } }[] } = JSON.parse(
      await text(request),
    );
    const { authorization } = request.headers;
    for (const { action, target } of body.events) {
      events.push({ action, repository: target.repository, tag: target.tag, authorization });
    }
  };
  const server = createServer((request, response) => void keep(request).then(() => response.end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const port = portOf(server);
  return { url: `http://127.0.0.1:${port}/events`, events };
}
