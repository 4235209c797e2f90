import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text } from '../../fields/fields.ts';
import { DeploymentCall } from './runner-tasks.ts';

export const ResourceCall = z.strictObject({
  resource_id: Id,
  fence: z.number().int(),
  /** `is_deletion`: an answer that the resource does not exist counts as success. */
  call: DeploymentCall.extend({ is_deletion: z.boolean() }),
});
export type ResourceCall = z.infer<typeof ResourceCall>;

/** `Retry`: the failure may be temporary. `Failed`: a repeated call would get the same answer. */
export const ResourceCallResult = z.strictObject({
  resource_id: Id,
  fence: z.number().int(),
  took_ms: z.number().int().min(0).max(600_000),
  outcome: z.enum(['Done', 'Retry', 'Failed']),
  reason: Text.max(500).nullable(),
});
export type ResourceCallResult = z.infer<typeof ResourceCallResult>;

/** With props of the largest size, more calls would not fit into one answer. */
const mostAtOnce = 3;

export const resourceCalls = resource('resource_calls', {
  owner: 'tasks',
  singular: 'call for a resource',
  operations: {
    claim: operation({
      summary: 'Take calls for resources that are due, under a lease',
      allow: ourServices,
      callers: ['runner'],
      // Deployments that answered slowly last time have a separate lane.
      body: z.strictObject({ lane: z.enum(['quick', 'slow']), places: z.number().int().min(1).max(mostAtOnce) }),
      response: z.strictObject({ calls: z.array(ResourceCall) }),
    }),
    report: operation({
      summary: 'What came of calls for resources',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject({ results: z.array(ResourceCallResult).min(1).max(64) }),
      response: z.null(),
      idempotent: true,
    }),
  },
});
