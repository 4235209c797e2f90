import { z } from 'zod';

/**
 * What an object says of the health of its deployment. `Progressing` becomes degraded after a while, and so does `Waiting`, which
 * says nothing until then. `Explains`: says why a workload is not healthy, but does not make it so.
 */
export const ObjectState = z.enum(['Healthy', 'Suspended', 'Progressing', 'Waiting', 'Explains', 'Degraded']);
export type ObjectState = z.infer<typeof ObjectState>;
