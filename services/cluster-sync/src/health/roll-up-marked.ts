import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@berth/db/database';
import { type Held, reportedHealth, hold } from './hold.ts';
import { type HealthObject, rollUp } from './roll-up.ts';
import { withoutObjects } from './without-objects.ts';
import { createRollUps, type DueRollUp, type RolledUpRow } from './roll-up-repository.ts';

const batch = 50;

/** Rolls up the health of all deployments whose objects have changed, or whose time has come. */
export const rollUpMarked =
  ({ db }: { db: Pick<Database, 'transaction'> }) =>
  async (signal: AbortSignal): Promise<void> => {
    for (let done = batch; done === batch && !signal.aborted; ) {
      done = await db.transaction(async (tx) => {
        const store = createRollUps(tx);
        const due = await store.due(batch);
        if (due.length === 0) return 0;
        const byPlace = Map.groupBy(await store.objects(due), placeKey);
        await store.save(due.map((row) => rolledUp(row, byPlace.get(placeKey(row)) ?? [])));
        return due.length;
      });
    }
  };

const placeKey = ({
  cluster_id,
  namespace,
  deployment_id,
}: Pick<DueRollUp, 'cluster_id' | 'namespace' | 'deployment_id'>) => `${cluster_id} ${namespace} ${deployment_id}`;

function rolledUp(
  { now, held: before, version: _version, ...place }: DueRollUp,
  objects: readonly HealthObject[],
): RolledUpRow {
  const observed = rollUp(objects, now);
  if (!observed) return { ...place, ...withoutObjects(place.namespace, before, now) };
  // A namespace that was gone is a new installation: the problems of the earlier one say nothing about it.
  const { held, changesAt } = hold(before?.goneAt === undefined ? before : null, observed, now);
  const times = [changesAt, observed.changesAt].filter((time) => time !== null);
  return { ...place, held, due_at: times.toSorted()[0] ?? null, isChanged: !isSameReport(before, held) };
}

const isSameReport = (before: Held | null, after: Held): boolean =>
  before !== null && isDeepStrictEqual(reportedHealth(before), reportedHealth(after));
