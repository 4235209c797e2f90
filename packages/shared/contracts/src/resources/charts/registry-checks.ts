import { z } from 'zod';
import { siteAdmin } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Timestamp } from '../../fields/fields.ts';

export const RegistryCheck = z.strictObject({
  checked_at: Timestamp,
  /** Versions that the registry lists in the repository now; null if they could not be listed. */
  versions: z.number().int().nullable(),
  /** Some of them. */
  examples: z.array(z.string()),
  error: z.string().nullable().meta({ description: 'why they could not be listed' }),
});
export type RegistryCheck = z.infer<typeof RegistryCheck>;

/** A request to the registry itself, which changes nothing. */
export const registryChecks = resource('registry_checks', {
  owner: 'registry-scan',
  singular: 'registry check',
  operations: {
    run: operation({
      http: 'POST /helm-registries/:id/check',
      summary: 'Check a chart registry now, and report what it lists',
      allow: siteAdmin,
      response: RegistryCheck,
      status: 200,
      deadlineMs: 30_000,
    }),
  },
});
