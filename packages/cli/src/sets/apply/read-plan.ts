import type { Client } from '@berth/client';
import { parseDocuments } from '../documents/parse-documents.ts';
import { readSetFiles } from '../documents/read-set-files.ts';
import { type LiveSet, liveSet } from '../live/live-set.ts';
import { readPlatform } from '../live/read-platform.ts';
import { scopeOf } from '../live/scope-of.ts';
import { planSet } from '../plan/plan-set.ts';
import type { SetPlan } from '../plan/step.ts';
import { type ContentsSource, contentsSource } from './contents-source.ts';
import { readEtags } from './read-etags.ts';
import { readSetRecord, type SetRecord } from './set-record.ts';

export interface ReadPlan {
  client: Client;
  /** Where the platform is: a set remembers its rows for each. */
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

interface Given {
  client: Client;
  url: string;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  prune: boolean;
  writeSecrets: boolean;
  allowInline: boolean;
}

/** Reads the folder and the platform, and compares them. */
export async function readPlan({
  client,
  url,
  folder,
  env,
  prune,
  writeSecrets,
  allowInline,
}: Given): Promise<ReadPlan> {
  const found = parseDocuments(await readSetFiles(folder), { allowInline });
  const record = await readSetRecord(folder);
  const owned = record.platforms[url] ?? {};
  const live = liveSet(await readPlatform(client, scopeOf(found, owned)));
  const contents = contentsSource(folder, env);
  const plan = planSet({ found, live, owned, prune, writeSecrets, problemOf: contents.problemOf });
  return { client, url, live, contents, record, owned, plan, etags: await readEtags(client, plan.steps) };
}
