import type { RealNode } from '@berth/devstack';
import { waitUntil } from '@berth/client';
import { z } from 'zod';
import { readFrom } from '../read-from.ts';

const Pod = z.object({ status: z.object({ phase: z.string().optional(), podIP: z.string().optional() }) });

/** Runs a pod that answers on port 8080; returns its address. */
export async function runPod(node: RealNode, name: string, signal: AbortSignal): Promise<string> {
  const path = `/api/v1/namespaces/default/pods/${name}`;
  const command = ['/busybox', 'httpd', '-f', '-p', '8080', '-h', '/'];
  await node.api.apply(
    path,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { automountServiceAccountToken: false, containers: [{ name, image: node.pauseImage, command }] },
    },
    signal,
  );
  const read = async () => Pod.parse(await readFrom(node, path)).status;
  const runs = async () => (await read()).phase === 'Running';
  await waitUntil(runs, { what: `the pod ${name} to run`, withinMs: 120_000, signal });
  return (await read()).podIP ?? '';
}
