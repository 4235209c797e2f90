import type { RealNode } from '@berth/devstack';
import { z } from 'zod';
import { readFrom } from './read-from.ts';

const Events = z.object({
  items: z.array(
    z.object({
      reason: z.string().nullish(),
      message: z.string().nullish(),
      involvedObject: z.object({ name: z.string().nullish() }),
    }),
  ),
});
const Pods = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), status: z.looseObject({ phase: z.string() }) })),
});

/** Events of a namespace and the last lines of its logs, for a failed test. */
export async function whatHappened(node: RealNode, namespace: string): Promise<string> {
  const events = Events.parse(await readFrom(node, `/api/v1/namespaces/${namespace}/events`)).items;
  const pods = Pods.parse(await readFrom(node, `/api/v1/namespaces/${namespace}/pods`)).items;
  const logs = await Promise.all(
    pods.map(async ({ metadata: { name }, status: { phase } }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=5`;
      const { body } = await node.api.get(path, AbortSignal.timeout(20_000));
      return `${name} ${phase}\n${body.slice(0, 1_500)}`;
    }),
  );
  const lines = events
    .slice(-30)
    .map(({ reason, message, involvedObject }) => `${involvedObject.name}: ${reason} ${message}`);
  return [...lines, ...logs].join('\n');
}
