import type { RealNode } from '@berth/devstack';
import { waitUntil } from '@berth/client';
import { z } from 'zod';
import { readFrom } from './read-from.ts';

const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        containers: z.array(
          z.object({ resources: z.object({ requests: z.object({ memory: z.string().regex(/^\d+Mi$/) }) }) }),
        ),
      }),
      status: z.object({ phase: z.string() }),
    }),
  ),
});
const Summary = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      memory: z.object({ time: z.iso.datetime(), workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

export interface MemoryOfPod {
  readonly pod: string;
  readonly part: string;
  /** In MiB. */
  readonly used: number;
  readonly requested: number;
}

/** The memory that each running pod of a namespace uses, as the kubelet measures it for evictions, with its request. */
export async function memoryInUse(node: RealNode, namespace: string): Promise<MemoryOfPod[]> {
  const { items } = Pods.parse(await readFrom(node, `/api/v1/namespaces/${namespace}/pods`));
  const running = items.filter(({ status }) => status.phase === 'Running');
  const began = Date.now();
  // The kubelet measures each pod about every ten seconds, so its last value may be from a container that was just starting.
  const measured = async () => {
    const { pods } = Summary.parse(await readFrom(node, `/api/v1/nodes/${node.name}/proxy/stats/summary`));
    const found = pods.filter(
      ({ podRef, memory }) => podRef.namespace === namespace && Date.parse(memory?.time ?? '') > began,
    );
    const used = new Map(found.map(({ podRef, memory }) => [podRef.name, memory?.workingSetBytes]));
    return running.every(({ metadata }) => used.get(metadata.name) !== undefined) && used;
  };
  const used = await waitUntil(measured, { what: 'the memory of each pod', withinMs: 90_000 });
  return running.map(({ metadata: { name, labels }, spec }) => ({
    pod: name,
    part: labels['app.kubernetes.io/component'] ?? name,
    used: (used.get(name) ?? Number.POSITIVE_INFINITY) / 1024 ** 2,
    requested: spec.containers.reduce((sum, { resources }) => sum + Number.parseInt(resources.requests.memory, 10), 0),
  }));
}

/** A line for each pod, and their sum. */
export function memoryLines(pods: readonly MemoryOfPod[]): string[] {
  const sum = (of: (pod: MemoryOfPod) => number) => pods.reduce((total, pod) => total + of(pod), 0).toFixed(0);
  return [
    ...pods.map(({ pod, used, requested }) => `${pod}: ${used.toFixed(0)} of ${requested} MiB`),
    `${pods.length} pods: ${sum(({ used }) => used)} of ${sum(({ requested }) => requested)} MiB`,
  ];
}
