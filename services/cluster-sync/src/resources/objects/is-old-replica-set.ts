import { z } from 'zod';

const count = z.number().catch(1);
const Scaled = z.object({
  spec: z.object({ replicas: count }),
  status: z.object({ replicas: count.default(0) }).default({ replicas: 0 }),
});

/** Whether a ReplicaSet neither has nor wants pods. A Deployment keeps ten of them for rollbacks. */
export function isOldReplicaSet(kind: string, object: unknown): boolean {
  if (kind !== 'ReplicaSet') return false;
  const { data } = Scaled.safeParse(object);
  return data?.spec.replicas === 0 && data.status.replicas === 0;
}
