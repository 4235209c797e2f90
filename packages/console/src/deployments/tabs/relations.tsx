import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JsonValue } from '@berth/client';
import { nameIn, useKinds } from '../../api/names.ts';
import { pageOf, type Row } from '../../api/reads.ts';
import type { DeploymentRow } from '../facts/deployment-row.ts';

interface RelationsProps {
  deployment: DeploymentRow;
  chart: Row<'helmCharts'> | undefined;
}

/** The deployments that this one uses, by the inputs that choose one. */
export function Relations({ deployment, chart }: RelationsProps) {
  const kinds = useKinds();
  const ids = usedIds(chart?.values_ui?.['inputs'], deployment);
  const used = useQuery({ ...pageOf('deployments', { ids: ids.join(','), per_page: 100 }), enabled: ids.length > 0 });
  if (ids.length === 0) return null;
  return (
    <section className="section">
      <header>
        <h2>Uses</h2>
      </header>
      <ul>
        {used.data?.items.map(({ id, kind_id, name }) => (
          <li key={id}>
            <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }}>
              {nameIn(kinds, kind_id)} / {name || '—'}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function usedIds(inputs: JsonValue | undefined, { config }: DeploymentRow): string[] {
  if (!Array.isArray(inputs)) return [];
  const ids = inputs.flatMap((input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input) || input['collection'] !== 'deployments')
      return [];
    const value = typeof input['id'] === 'string' ? config[input['id']] : undefined;
    return Array.isArray(value) ? value : [value];
  });
  return [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, 100);
}
