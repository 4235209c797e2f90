import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Text } from '../../fields/fields.ts';

/** Texts of objects of a deployment, as its cluster has them. */
const TextsOfDeployment = z.strictObject({
  deployment_id: Id,
  /** Names and labels: only long secrets are searched for, since a short one may be a word that occurs in any name. */
  names: z.array(Text.max(1_000)).max(2_000),
  messages: z.array(Text.max(1_000)).max(200),
});
export type TextsOfDeployment = z.infer<typeof TextsOfDeployment>;

/** Only `tasks` can open secrets, so it finds them for others, who never see them. */
export const shownTexts = resource('shown_texts', {
  owner: 'tasks',
  singular: 'text',
  operations: {
    redact: operation({
      summary: 'The texts without the secrets of their deployments, in the same order',
      allow: ourServices,
      callers: ['cluster-sync'],
      body: z.strictObject({ deployments: z.array(TextsOfDeployment).max(100) }),
      response: z.strictObject({ deployments: z.array(TextsOfDeployment) }),
      idempotent: true,
    }),
  },
});
