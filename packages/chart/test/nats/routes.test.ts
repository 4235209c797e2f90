import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startForTest, toolsForTest } from '@berth/devstack/testing/with-servers';
import { startServerProcess } from '@berth/devstack';
import { freePort } from '@berth/testing/network/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bundled, type HelmInTest, merged, needed, startHelm } from '../support/helm-in-test.ts';
import { natsText } from '../support/nats-text.ts';

let helm: HelmInTest;
beforeAll(async () => {
  helm = await startHelm();
}, 20 * 60_000);
afterAll(() => helm?.[Symbol.asyncDispose]());

const Cluster = z.object({
  authorization: z.object({ user: z.string(), password: z.string(), timeout: z.number() }),
  routes: z.array(z.string()),
});

/** The part of the rendered configuration about routes between servers. */
async function renderedCluster(): Promise<z.infer<typeof Cluster>> {
  const three = { global: { nats: { servers: 3, replicas: 3 } } };
  const manifests = await helm.render(merged(needed, bundled, three));
  const text = natsText(manifests, 'nats.conf');
  return z.object({ cluster: Cluster }).parse(JSON.parse(text)).cluster;
}

const Routes = z.object({ num_routes: z.number() });

/** A server that listens for others of its cluster and connects to them by these routes. */
async function startServer(name: string, cluster: object) {
  const { stateFolder, guard, signal } = await startForTest();
  const { 'nats-server': program } = await toolsForTest('nats-server');
  const [port, clusterPort, http] = [await freePort(), await freePort(), await freePort()];
  const configFile = join(stateFolder, 'nats.conf');
  const local = { host: '127.0.0.1', port, http: `127.0.0.1:${http}` };
  const own = { name: 'berth', host: '127.0.0.1', port: clusterPort, ...cluster };
  await writeFile(configFile, JSON.stringify({ ...local, cluster: own }));
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${http}${path}`)).json();
  await startServerProcess({
    name,
    command: [program, '--config', configFile, '--name', name],
    logFile: join(stateFolder, 'nats.log'),
    guard,
    signal,
    isReady: () => read('/varz').then(Boolean),
  });
  return {
    clusterPort,
    routes: async () => Routes.parse(await read('/routez')).num_routes,
  };
}

test("a server without the password of a release's NATS servers, or with another one, cannot join them; one with it can", async () => {
  const { authorization, routes } = await renderedCluster();
  expect(routes).toHaveLength(3);
  const password = new URL(routes[0] ?? '').password;
  const server = await startServer('of-the-release', { authorization });
  const routeWith = (user: string) => ({ routes: [`nats://${user}127.0.0.1:${server.clusterPort}`] });

  const strangers = [await startServer('without', routeWith('')), await startServer('guess', routeWith('routes:x@'))];
  const member = await startServer('member', { authorization, ...routeWith(`routes:${password}@`) });
  await expect.poll(() => member.routes()).toBeGreaterThan(0);
  const ofMember = await server.routes();

  expect(await Promise.all(strangers.map((stranger) => stranger.routes()))).toEqual([0, 0]);
  // Servers keep several connections to each other; all of these belong to the member.
  await expect.poll(() => server.routes()).toBe(await member.routes());
  expect(ofMember).toBeGreaterThan(0);
});
