import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { Stack } from '@berth/devstack';
import { portOf } from '@berth/testing/network/port-of';
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import { asKubelet } from './as-kubelet.ts';

export interface NodeWithLogs extends AsyncDisposable {
  /** Runs a pod with these lines in its log. */
  run(namespace: string, name: string, lines: readonly string[]): Promise<void>;
}

/** A node whose kubelet serves the logs of its pods, which simulated nodes cannot do. */
export async function nodeWithLogs({ stateFolder }: Stack, config: KubeConfig): Promise<NodeWithLogs> {
  const core = config.makeApiClient(CoreV1Api);
  const logs = new Map<string, readonly string[]>();
  // The API server does not check whose certificate it is.
  const certificates = join(stateFolder, 'kubernetes', 'certificates');
  const [key, cert] = await Promise.all(['server.key', 'server.crt'].map((file) => readFile(join(certificates, file))));
  const kubelet = createServer({ key, cert }, ({ url = '' }, answer) => {
    const { pathname, searchParams } = new URL(url, 'https://kubelet');
    const [, , namespace, pod] = pathname.split('/');
    answer.writeHead(200, { 'content-type': 'text/plain' });
    for (const line of logs.get(`${namespace}/${pod}`) ?? []) answer.write(`${new Date().toISOString()} ${line}\n`);
    if (!searchParams.has('follow')) answer.end();
  });
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const port = portOf(kubelet);

  const metadata = { name: 'with-logs' };
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  // Keeps other pods off the node.
  await core.createNode({ body: { metadata, spec: { unschedulable: true }, status } });
  return {
    async run(namespace, name, lines) {
      logs.set(`${namespace}/${name}`, lines);
      const spec = {
        nodeName: metadata.name,
        automountServiceAccountToken: false,
        containers: [{ name: 'web', image: 'web:1' }],
      };
      await core.createNamespacedPod({ namespace, body: { metadata: { name }, spec } });
      await asKubelet(config).ready(namespace, name);
    },
    async [Symbol.asyncDispose]() {
      kubelet.close();
      kubelet.closeAllConnections();
      await once(kubelet, 'close');
    },
  };
}
