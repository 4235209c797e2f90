import type { Answer, Page } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nameIn, useKinds } from '../../api/names.ts';
import { readOf, type Row } from '../../api/reads.ts';
import { Reading } from '../../ui/reading/reading.tsx';

type Impacted = Pick<Row<'deployments'>, 'id' | 'kind_id' | 'name'>;

interface ImpactProps {
  /** The key of the read. */
  of: readonly string[];
  read: (options: { signal: AbortSignal }) => Promise<Answer<Page<Impacted>>>;
  /** What happens to these deployments. */
  verb: 'Reinstalls' | 'Used by';
  /** Shown if there are none. */
  none: string;
}

/** The deployments that a change affects, shown before it is made. */
export function Impact({ of, read, verb, none }: ImpactProps) {
  const kinds = useKinds();
  const impact = useQuery({ ...readOf('deployments', ['impact', ...of], read), staleTime: 0 });
  return (
    <Reading of={impact} rows={2}>
      {({ items, num_total }) =>
        num_total === 0 ? (
          <p className="muted">{none}</p>
        ) : (
          <section className="notice warn" aria-label="Deployments that this concerns">
            <p>
              <strong>
                {verb} {num_total.toLocaleString()} {num_total === 1 ? 'deployment' : 'deployments'}
              </strong>
            </p>
            <ul className="impact">
              {items.map(({ id, kind_id, name }) => (
                <li key={id}>
                  <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }}>
                    {nameIn(kinds, kind_id)} / {name || '—'}
                  </Link>
                </li>
              ))}
              {num_total > items.length && <li>and {(num_total - items.length).toLocaleString()} more</li>}
            </ul>
          </section>
        )
      }
    </Reading>
  );
}
