import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JsonValue } from '@berth/client';
import { nameIn, useKinds } from '../../api/names.ts';
import { pageOf, type Row } from '../../api/reads.ts';
import { State } from '../../ui/state.tsx';
import type { DeploymentRow } from '../facts/deployment-row.ts';
import { deploymentState } from '../facts/deployment-state.ts';
import { usedIds } from './used-ids.ts';

interface RelationsProps {
  deployment: DeploymentRow;
  chart: Row<'helmCharts'> | undefined;
}

const most = 20;

/** What the deployment depends on, and what depends on it: where to look next if it is not well, and what a change of it affects. */
export function Relations({ deployment, chart }: RelationsProps) {
  const form: JsonValue | undefined = chart?.values_ui?.['inputs'];
  const ids = usedIds(form, deployment.config);
  const used = useQuery({ ...pageOf('deployments', { ids: ids.join(','), per_page: most }), enabled: ids.length > 0 });
  const users = useQuery(pageOf('deployments', { uses: deployment.id, sort: 'name', per_page: most }));
  return (
    <>
      {ids.length > 0 && <Related title="Uses" rows={used.data?.items} total={used.data?.num_total} />}
      {users.data && users.data.num_total > 0 && (
        <Related title="Used by" rows={users.data.items} total={users.data.num_total} />
      )}
    </>
  );
}

interface RelatedProps {
  title: string;
  rows: Row<'deployments'>[] | undefined;
  total: number | undefined;
}

function Related({ title, rows = [], total = 0 }: RelatedProps) {
  const kinds = useKinds();
  return (
    <section className="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {total > 0 && <span className="meta">{total.toLocaleString()}</span>}
      </header>
      <ul className="related">
        {rows.map((row) => (
          <li key={row.id}>
            <Link to="/deployments/$id/{-$tab}" params={{ id: row.id, tab: undefined }}>
              {nameIn(kinds, row.kind_id)} / {row.name || '—'}
            </Link>
            <State {...deploymentState(row)} />
          </li>
        ))}
      </ul>
      {total > rows.length && <p className="meta">and {(total - rows.length).toLocaleString()} more</p>}
    </section>
  );
}
