import type { LiveSet } from '../live/live-set.ts';
import type { SetPlan } from '../plan/step.ts';

interface Given {
  live: LiveSet;
  plan: SetPlan;
  owned: Readonly<Record<string, string>>;
}

/** What belongs to the set before its steps are done. Clusters never do: the platform finds them, the set only assigns them. */
export function ownedBy({ live, plan, owned }: Given, own: boolean): Record<string, string> {
  const kept = Object.entries(owned).filter(([key]) => !plan.forgotten.includes(key));
  const present = own
    ? plan.steps.flatMap(({ key, document }): [string, string][] => {
        const row = live.rows.get(key);
        return row && document.kind !== 'Cluster' ? [[key, row.id]] : [];
      })
    : [];
  return Object.fromEntries([...kept, ...present]);
}
