import type { Client } from '@berth/client';
import type { ContentsSource } from '../../sets/apply/contents-source.ts';
import type { LiveSet } from '../../sets/live/live-set.ts';
import type { SetPlan } from '../../sets/plan/step.ts';
import type { SetRecord } from '../../sets/apply/set-record.ts';
import { addressOf, connect, type ConnectionFlags } from '../../connection/connect.ts';
import type { Cli } from '../../terminal/cli.ts';

export interface PlanFlags extends ConnectionFlags {
  from: string;
  prune?: boolean;
  writeSecrets?: boolean;
  allowInline?: boolean;
}

/** The flags that apply and diff share. */
export const planFlags = {
  from: { kind: 'parsed', parse: String, brief: 'The folder of the set' },
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

export interface ReadPlan {
  client: Client;
  url: string;
  live: LiveSet;
  contents: ContentsSource;
  record: SetRecord;
  /** What belongs to the set on this platform. */
  owned: Readonly<Record<string, string>>;
  plan: SetPlan;
  /** Tags of the rows that would change. */
  etags: ReadonlyMap<string, string>;
}

/** Reads the folder and the platform, and compares them. What only sets need is loaded here, not at each start. */
export async function readPlan(cli: Cli, flags: PlanFlags): Promise<ReadPlan> {
  const [{ readSetFiles }, { parseDocuments }, { readSetRecord }, { contentsSource }, { readPlatform }, ...pure] =
    await Promise.all([
      import('../../sets/documents/read-set-files.ts'),
      import('../../sets/documents/parse-documents.ts'),
      import('../../sets/apply/set-record.ts'),
      import('../../sets/apply/contents-source.ts'),
      import('../../sets/live/read-platform.ts'),
      import('../../sets/live/live-set.ts'),
      import('../../sets/plan/plan-set.ts'),
      import('../../sets/live/scope-of.ts'),
      import('../../sets/apply/read-etags.ts'),
    ]);
  const [{ liveSet }, { planSet }, { scopeOf }, { readEtags }] = pure;
  const { from: folder, prune = false, writeSecrets = false, allowInline = false } = flags;
  const found = parseDocuments(await readSetFiles(folder), { allowInline });
  const record = await readSetRecord(folder);
  const { url } = await addressOf(cli, flags);
  const owned = record.platforms[url] ?? {};
  const client = await connect(cli, flags);
  const live = liveSet(await readPlatform(client, scopeOf(found, owned)));
  const contents = contentsSource(folder, cli.env);
  const plan = planSet({ found, live, owned, prune, writeSecrets, problemOf: contents.problemOf });
  return { client, url, live, contents, record, owned, plan, etags: await readEtags(client, plan.steps) };
}
