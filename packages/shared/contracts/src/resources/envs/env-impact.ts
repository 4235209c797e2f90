import { z } from 'zod';
import { ourServices } from '../../access/rules.ts';
import { operation, resource } from '../../definition/contract.ts';
import { Id, Name } from '../../fields/fields.ts';
import { rowState } from '../../fields/row-state.ts';
import { Impact, ImpactQuery } from '../deployments/impact.ts';
import { Env } from './envs.ts';

/** The effect of a change of an env's placement on its deployments. `tasks` owns it, as it owns them. */
export const envImpact = resource('env_impact', {
  owner: 'tasks',
  singular: 'env',
  operations: {
    of: operation({
      summary: 'The deployments that a changed placement of an env would reinstall',
      allow: ourServices,
      callers: ['auth'],
      body: z.strictObject({ env_id: Id, query: ImpactQuery }),
      response: Impact,
      idempotent: true,
    }),
    // Called after the change, so that its answer can name the tasks. The env is followed in any case.
    take: operation({
      summary: 'Take a changed env at once, and name the Reinstalls that it queued',
      allow: ourServices,
      callers: ['auth'],
      body: z.strictObject({ env: rowState(Env.extend({ name: Name })) }),
      response: z.strictObject({ ids: z.array(Id), count: z.number().int() }),
      idempotent: true,
    }),
  },
});
