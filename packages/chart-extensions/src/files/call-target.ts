import { z } from 'zod';

/** A call into a deployment, below the hostname of its ingress. */
export const callTarget = {
  endpoint: z.literal('standard_ingress'),
  path: z.string().min(1).max(2048),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
};
