import { canonicalChart } from '../live/charts.ts';
import type { LiveSet } from '../live/live-set.ts';
import type { SetDocument } from '../documents/set-document.ts';

/**
 * The documents in the form of live rows: deployments and resources name their cluster, which is the only one of their env where none
 * is given, charts have the text that `export` gives them, and users and kinds their names. Assignments of the set itself count.
 */
export function placeDocuments(documents: readonly SetDocument[], live: LiveSet): SetDocument[] {
  const clusters = clustersAfter(documents, live);
  const users = namesById(live.users);
  const kinds = namesById(live.kinds);
  return documents.map((document) => {
    if (document.kind === 'Member') return { ...document, user: users(document.user) };
    if (document.kind === 'Role')
      return { ...document, user: users(document.user), deployment_kind: kinds(document.deployment_kind) };
    if (document.kind !== 'Deployment' && document.kind !== 'Resource') return document;
    const [only, ...others] = clusters.get(document.env) ?? [];
    const cluster = document.cluster ?? (others.length === 0 ? only : undefined);
    const placed = { ...document, ...(cluster !== undefined && { cluster }) };
    return placed.kind === 'Deployment' ? { ...placed, chart: canonicalChart(live.charts, placed.chart) } : placed;
  });
}

/** The name instead of an id, if there is one: each row has one key. */
function namesById(ids: ReadonlyMap<string, string>): (text: string) => string {
  const names = new Map([...ids].flatMap(([name, id]) => (name === id ? [] : [[id, name] as const])));
  return (text) => names.get(text) ?? text;
}

/** The usable clusters of each env once the set is applied. */
export function clustersAfter(documents: readonly SetDocument[], live: LiveSet): Map<string, string[]> {
  const after = new Map<string, { env: string | null; ignore: boolean }>();
  for (const { document } of [...live.rows.values(), ...documents.map((document) => ({ document }))]) {
    if (document.kind !== 'Cluster') continue;
    const before = after.get(document.name) ?? { env: null, ignore: false };
    after.set(document.name, {
      env: document.env === undefined ? before.env : document.env,
      ignore: document.ignore ?? before.ignore,
    });
  }
  const usable = [...after].flatMap(([name, { env, ignore }]) => (env === null || ignore ? [] : [{ name, env }]));
  return new Map(
    [...Map.groupBy(usable, ({ env }) => env)].map(([env, found]) => [env, found.map(({ name }) => name)]),
  );
}
