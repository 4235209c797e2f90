import { stringify } from 'yaml';
import type { LiveSet } from './live-set.ts';
import { kindOrder, type SetDocument } from '../documents/set-document.ts';

export interface Exported {
  /** The texts of files, by name. */
  files: ReadonlyMap<string, string>;
  /** Variables from which secrets are read where they are written. */
  variables: readonly string[];
}

/** The documents of all rows: a file for each env, and one for what belongs to none. */
export function exportFiles({ rows }: LiveSet, envs: ReadonlySet<string> | null): Exported {
  const documents = [...rows.values()].filter(({ isLeaving }) => !isLeaving).map(({ document }) => document);
  const chosen = documents.filter((document) => isChosen(document, envs));
  const names = fileNames(chosen);
  const byFile = Map.groupBy(chosen, (document) => names(envOf(document)));
  const files = [...byFile].map(([name, found]) => [name, textOf(found)] as const);
  return { files: new Map(files), variables: chosen.flatMap(variablesOf).toSorted() };
}

/** Null: of no env. */
function envOf(document: SetDocument): string | null {
  if (document.kind === 'Env') return document.name;
  return 'env' in document ? (document.env ?? null) : null;
}

/** A cluster without an env is not exported. Bots belong to no env, so they are left out if envs are named. */
function isChosen(document: SetDocument, envs: ReadonlySet<string> | null): boolean {
  const env = envOf(document);
  return env === null ? document.kind === 'Bot' && envs === null : envs === null || envs.has(env);
}

/** Names of envs may contain any character, and some file systems ignore case. */
function fileNames(documents: readonly SetDocument[]): (env: string | null) => string {
  const given = new Map<string | null, string>([[null, 'platform.yaml']]);
  const taken = new Set(given.values());
  for (const env of new Set(documents.map(envOf))) {
    if (given.has(env) || env === null) continue;
    const plain =
      env
        .toLowerCase()
        .replaceAll(/[^a-z0-9-]+/g, '-')
        .replaceAll(/^-+|-+$/g, '') || 'env';
    let name = `${plain}.yaml`;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}-${number}.yaml`;
    taken.add(name);
    given.set(env, name);
  }
  return (env) => given.get(env) ?? 'platform.yaml';
}

function textOf(documents: readonly SetDocument[]): string {
  const sorted = documents.toSorted((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind));
  return sorted.map((document) => stringify(document, { lineWidth: 0 })).join('---\n');
}

function variablesOf(document: SetDocument): string[] {
  const sources =
    document.kind === 'Secret'
      ? [document.contents]
      : document.kind === 'Resource'
        ? Object.values(document.sensitive_props ?? {})
        : [];
  return sources.flatMap((source) => ('env' in source ? [source.env] : []));
}
