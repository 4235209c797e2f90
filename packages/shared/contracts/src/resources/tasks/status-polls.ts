import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text } from '../../fields/fields.ts';
import { ReportedContent } from '../deployments/reported-status.ts';
import { DeploymentCall } from './runner-tasks.ts';

export const StatusPoll = z.strictObject({
  deployment_id: Id,
  fence: z.number().int(),
  call: DeploymentCall.pick({ host: true, path: true, token: true }),
});
export type StatusPoll = z.infer<typeof StatusPoll>;

export const StatusPollResult = z.strictObject({
  deployment_id: Id,
  fence: z.number().int(),
  took_ms: z.number().int().min(0).max(600_000),
  status: z.union([z.strictObject({ content: ReportedContent }), z.strictObject({ error: Text.max(1_000) })]),
});
export type StatusPollResult = z.infer<typeof StatusPollResult>;

const ClaimedPoll = StatusPoll.pick({ deployment_id: true, fence: true });
export type ClaimedPoll = z.infer<typeof ClaimedPoll>;

export const statusPolls = resource('status_polls', {
  owner: 'tasks',
  singular: 'status poll',
  operations: {
    claim: operation({
      summary: 'Take polls that are due, for half a minute',
      allow: ourServices,
      callers: ['runner'],
      // Deployments that answered slowly last time have a separate lane.
      body: z.strictObject({ quick: z.number().int().min(0).max(64), slow: z.number().int().min(0).max(64) }),
      response: z.strictObject({ polls: z.array(StatusPoll) }),
    }),
    report: operation({
      summary: 'What deployments answered to polls, and polls that a stopping runner has not made',
      allow: ourServices,
      callers: ['runner'],
      body: z.strictObject({
        results: z.array(StatusPollResult).max(64),
        // Twice the number of slots that a runner may have.
        not_made: z.array(ClaimedPoll).max(512).default([]),
      }),
      response: z.null(),
      idempotent: true,
    }),
  },
});
