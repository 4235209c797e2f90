import { useQueries, useQuery } from '@tanstack/react-query';
import { nameIn, useClusters, useEnvs, useKinds, useUsers } from '../api/names.ts';
import { allOf, pageOf } from '../api/reads.ts';
import type { AuditEvent } from './audit-event.ts';

/** As many ids as one read takes. */
const most = 100;

/** What the actors and objects of events are called, with a read for each hundred deployments. */
export function useNames(events: readonly AuditEvent[]) {
  const [users, envs, clusters, kinds] = [useUsers(), useEnvs(), useClusters(), useKinds()];
  const bots = useQuery({ ...allOf('bots', {}), staleTime: 5 * 60_000 });
  const botsById = new Map(bots.data?.map((bot) => [bot.id, bot]));
  const ids = idsOf(events, 'deployments');
  const parts = Array.from({ length: Math.ceil(ids.length / most) }, (_, part) =>
    ids.slice(part * most, (part + 1) * most).join(','),
  );
  const reads = useQueries({ queries: parts.map((part) => pageOf('deployments', { ids: part, per_page: most })) });
  const deployments = new Map(reads.flatMap(({ data }) => data?.items ?? []).map((row) => [row.id, row]));

  return {
    bots: botsById,
    users,
    env: (id: string | null) => nameIn(envs, id),
    actor: ({ actor, result }: AuditEvent): string => {
      // Of a refused credential or sign-in it is not known whose it is.
      if (actor === null) return result === 'denied' ? 'unknown' : 'the platform';
      if (actor.kind === 'user') return nameIn(users, actor.id);
      return actor.kind === 'bot'
        ? nameIn(botsById, actor.id)
        : (deployments.get(actor.id)?.name ?? actor.id.slice(0, 8));
    },
    object: ({ object: { resource, id } }: AuditEvent): string => {
      if (id === null) return '';
      const deployment = deployments.get(id);
      if (deployment !== undefined) return `${nameIn(kinds, deployment.kind_id)} / ${deployment.name || '—'}`;
      const known = { users, bots: botsById, envs, k8s_clusters: clusters, deployment_kinds: kinds }[resource];
      return known === undefined ? id.slice(0, 8) : nameIn(known, id);
    },
  };
}

const idsOf = (events: readonly AuditEvent[], resource: string): string[] => {
  const objects = events.filter(({ object }) => object.resource === resource).map(({ object }) => object.id);
  const actors = events.filter(({ actor }) => actor?.kind === 'deployment').map(({ actor }) => actor?.id ?? null);
  return [...new Set([...objects, ...actors].filter((id) => id !== null))].sort();
};
