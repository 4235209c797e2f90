import { Link } from '@tanstack/react-router';
import { nameIn } from '../../api/names.ts';
import type { Row } from '../../api/reads.ts';
import type { Column } from '../../ui/reading/line.tsx';
import { State } from '../../ui/state.tsx';
import { deploymentState } from './deployment-state.ts';

type Of = Column<Row<'deployments'>>;

export const stateColumn: Of = {
  title: 'State',
  width: '124px',
  narrow: 'first',
  cell: (row) => <State {...deploymentState(row)} />,
};

/** Kind and name, as a link to the deployment. If all are of one kind, the name is enough. */
export const nameColumn = (kinds: Parameters<typeof nameIn>[0] | null): Of => ({
  title: 'Name',
  width: 'minmax(180px, 2fr)',
  narrow: 'first',
  className: 'cell-name',
  cell: ({ id, name, kind_id }) => (
    <Link to="/deployments/$id/{-$tab}" params={{ id, tab: undefined }} data-row-link>
      {kinds && <span className="kind">{nameIn(kinds, kind_id)} / </span>}
      {name || '—'}
    </Link>
  ),
});

export const whyColumn: Of = {
  title: 'Why',
  width: 'minmax(160px, 2fr)',
  narrow: 'second',
  className: 'muted',
  cell: ({ reason }) => reason && <span title={reason}>{reason}</span>,
};
