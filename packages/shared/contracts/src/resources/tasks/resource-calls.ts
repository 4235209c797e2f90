import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text } from '../../fields/fields.ts';
import { DeploymentCall } from './runner-tasks.ts';

export const ResourceCall = z.strictObject({
  resource_id: Id,
  fence: z.number().int(),
  /** `is_deletion`: the answer that the resource is gone counts as success. */
  call: DeploymentCall.extend({ is_deletion: z.boolean() }),
});
export type ResourceCall = z.infer<typeof ResourceCall>;

/** `Retry`: the failure may pass. `Failed`: the deployment would answer the same again. */
export const ResourceCallResult = z.strictObject({
  resource_id: Id,
  fence: z.number().int(),
  took_ms: z.number().int().min(0).max(600_000),
  outcome: z.enum(['Done', 'Retry', 'Failed']),
  reason: Text.max(500).nullable(),
});
export type ResourceCallResult = z.infer<typeof ResourceCallResult>;

/** With the largest props, more would not fit into one answer. */
const mostAtOnce = 3;

export const resourceCalls = resource('resource_calls', {
  owner: 'tasks',
  singular: 'call for a resource',
  operations: {
    claim: operation({
      summary: 'Take calls for resources that are due, under a lease',
      allow: ourServices,
      callers: ['runner'],
      // Deployments that were slow last time have a lane of their own.
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
