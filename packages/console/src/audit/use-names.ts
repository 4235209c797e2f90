import { useQueries, useQuery } from '@tanstack/react-query';
import { nameIn, useClusters, useEnvs, useKinds, useUsers } from '../api/names.ts';
import { allOf, pageOf } from '../api/reads.ts';
import { operationWord } from '../ui/reading/operation-word.ts';
import type { AuditEvent } from './audit-event.ts';

/** As many ids as one read takes. */
const most = 100;

/** The names of the actors and objects of events, with one read for each hundred deployments and tasks. */
export function useNames(events: readonly AuditEvent[]) {
  const [users, envs, clusters, kinds] = [useUsers(), useEnvs(), useClusters(), useKinds()];
  const bots = useQuery({ ...allOf('bots', {}), staleTime: 5 * 60_000 });
  const botsById = new Map(bots.data?.map((bot) => [bot.id, bot]));
  const tasks = new Map(
    useQueries({
      queries: partsOf(objectsOf(events, 'deployment_tasks')).map((ids) =>
        pageOf('deploymentTasks', { ids, per_page: most }),
      ),
    })
      .flatMap(({ data }) => data?.items ?? [])
      .map((row) => [row.id, row]),
  );
  const deployed = [
    ...objectsOf(events, 'deployments'),
    ...events.filter(({ actor }) => actor?.kind === 'deployment').map(({ actor }) => actor?.id ?? null),
    ...[...tasks.values()].map(({ deployment_id }) => deployment_id),
  ];
  const deployments = new Map(
    useQueries({ queries: partsOf(deployed).map((ids) => pageOf('deployments', { ids, per_page: most })) })
      .flatMap(({ data }) => data?.items ?? [])
      .map((row) => [row.id, row]),
  );
  const nameOf = (id: string): string => {
    const row = deployments.get(id);
    return row === undefined ? id.slice(0, 8) : `${nameIn(kinds, row.kind_id)} / ${row.name || '—'}`;
  };

  return {
    bots: botsById,
    users,
    env: (id: string | null) => nameIn(envs, id),
    actor: ({ actor, result }: AuditEvent): string => {
      // Nobody knows whose a refused credential or sign-in is.
      if (actor === null) return result === 'denied' ? 'unknown' : 'the platform';
      if (actor.kind === 'user') return nameIn(users, actor.id);
      return actor.kind === 'bot'
        ? nameIn(botsById, actor.id)
        : (deployments.get(actor.id)?.name ?? actor.id.slice(0, 8));
    },
    object: ({ object: { resource, id } }: AuditEvent): string => {
      if (id === null) return '';
      const task = tasks.get(id);
      if (task !== undefined) return `${operationWord(task)} · ${nameOf(task.deployment_id)}`;
      if (resource === 'deployments') return nameOf(id);
      const known = { users, bots: botsById, envs, k8s_clusters: clusters, deployment_kinds: kinds }[resource];
      return known === undefined ? id.slice(0, 8) : nameIn(known, id);
    },
  };
}

const objectsOf = (events: readonly AuditEvent[], resource: string) =>
  events.filter(({ object }) => object.resource === resource).map(({ object }) => object.id);

/** The ids, split into as many reads as they need. */
function partsOf(ids: readonly (string | null)[]): string[] {
  const all = [...new Set(ids.filter((id) => id !== null))].sort();
  return Array.from({ length: Math.ceil(all.length / most) }, (_, part) =>
    all.slice(part * most, (part + 1) * most).join(','),
  );
}
