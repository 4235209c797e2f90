import { z } from 'zod';

/** The target of a call to a deployment, below its ingress hostname. */
export const callTarget = {
  endpoint: z.literal('standard_ingress'),
  path: z.string().min(1).max(2048),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
};
