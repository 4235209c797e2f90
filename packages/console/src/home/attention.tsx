import { Link } from '@tanstack/react-router';
import { nameIn, useEnvs, useKinds } from '../api/names.ts';
import type { DeploymentRow } from '../deployments/facts/deployment-row.ts';
import { deploymentState } from '../deployments/facts/deployment-state.ts';
import { Age } from '../ui/age.tsx';
import { State } from '../ui/state.tsx';

/** Deployments that need attention, with the reason. */
export function Attention({ rows }: { rows: DeploymentRow[] }) {
  const [envs, kinds] = [useEnvs(), useKinds()];
  if (rows.length === 0) return <p className="muted">Nothing needs attention.</p>;
  return (
    <ul className="panel home-lines">
      {rows.map((row) => (
        <li key={row.id}>
          <State {...deploymentState(row)} />
          <span className="cell-name">
            <Link to="/deployments/$id/{-$tab}" params={{ id: row.id, tab: undefined }} data-row-link>
              <span className="kind">{nameIn(kinds, row.kind_id)} / </span>
              {row.name || '—'}
            </Link>{' '}
            <span className="meta">in {nameIn(envs, row.env_id)}</span>
          </span>
          <span className="muted">{row.health && <Age time={row.health.since} />}</span>
          <span className="why muted">{row.reason ?? row.health?.reason}</span>
        </li>
      ))}
    </ul>
  );
}
