import type { ReadPlan } from '../../sets/apply/read-plan.ts';
import { addressOf, connect, type ConnectionFlags } from '../../connection/connect.ts';
import type { Cli } from '../../terminal/cli.ts';

export interface PlanFlags extends ConnectionFlags {
  from: string;
  prune?: boolean;
  writeSecrets?: boolean;
  allowInline?: boolean;
}

/** Which rows a plan touches: the flags that apply and diff share. */
export const scopeFlags = {
  prune: {
    kind: 'boolean',
    brief: 'Also delete rows of the set that have no document',
    optional: true,
    withNegated: false,
  },
  writeSecrets: {
    kind: 'boolean',
    brief: 'Also write the contents of secrets that are there; equal contents change nothing',
    optional: true,
    withNegated: false,
  },
  allowInline: {
    kind: 'boolean',
    brief: 'Allow contents of secrets in the documents',
    optional: true,
    withNegated: false,
  },
} as const;
/** What only sets need is loaded here, not at each start. */
export async function planOf(cli: Cli, { from: folder, ...flags }: PlanFlags): Promise<ReadPlan> {
  const { readPlan } = await import('../../sets/apply/read-plan.ts');
  const { prune = false, writeSecrets = false, allowInline = false } = flags;
  const { url } = await addressOf(cli, flags);
  const client = await connect(cli, flags);
  return readPlan({ client, url, folder, env: cli.env, prune, writeSecrets, allowInline });
}
