import { Link } from '@tanstack/react-router';
import { nameIn, useKinds } from '../api/names.ts';
import type { ListQuery, Row } from '../api/reads.ts';
import { Age } from '../ui/age.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { State } from '../ui/state.tsx';
import { chartState } from './chart-state.ts';

/** The charts of registries, newest first, each with the number of newer ones of its branch. */
export function Versions({ query, isFiltered }: { query: ListQuery<'chartVersions'>; isFiltered: boolean }) {
  const kinds = useKinds();
  const columns: Column<Row<'chartVersions'>>[] = [
    { title: 'State', width: '124px', narrow: 'first', cell: (row) => <State {...chartState(row)} /> },
    {
      title: 'Chart',
      width: 'minmax(200px, 2fr)',
      className: 'cell-name',
      narrow: 'first',
      cell: ({ id, kind_id, image_tag }) => (
        <Link to="/charts/$id" params={{ id }} data-row-link>
          <span className="kind">{nameIn(kinds, kind_id)} / </span>
          {image_tag}
        </Link>
      ),
    },
    {
      title: 'Version',
      width: 'minmax(150px, 1fr)',
      narrow: 'second',
      cell: ({ parsed_version, newer }) => (
        <>
          <span className="mono">{parsed_version}</span>
          {newer > 0 && <span className="newer">↑ {newer} newer</span>}
        </>
      ),
    },
    { title: 'Branch', width: 'minmax(88px, .8fr)', cell: ({ parsed_branch }) => parsed_branch },
    {
      title: 'Commit',
      width: '88px',
      wideOnly: true,
      className: 'mono',
      cell: ({ parsed_commit }) =>
        parsed_commit !== null && <span title={parsed_commit}>{parsed_commit.slice(0, 7)}</span>,
    },
    { title: 'Found', width: '80px', className: 'muted', cell: ({ created_at }) => <Age time={created_at} /> },
  ];
  return (
    <Rows
      label="Charts"
      resource="chartVersions"
      query={query}
      columns={columns}
      empty={
        isFiltered ? (
          <Empty title="No chart matches these filters" />
        ) : (
          <Empty title="There are no charts yet">
            <p>Push one to a registry that Berth scans. It appears here seconds later:</p>
            <pre>helm push my-chart-1.0.0.tgz oci://registry.example.com/charts</pre>
          </Empty>
        )
      }
    />
  );
}
