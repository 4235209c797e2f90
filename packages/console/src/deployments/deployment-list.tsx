import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { useMay } from '../api/me.ts';
import { choicesIn, useClusters, useKinds } from '../api/names.ts';
import { type ListQuery, pageOf, type Row } from '../api/reads.ts';
import { Page } from '../shell/page.tsx';
import { Age } from '../ui/age.tsx';
import { Choose } from '../ui/inputs/choose.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../ui/page/address.ts';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/reading/problem.tsx';
import { Rows } from '../ui/reading/rows.tsx';
import { BulkActions } from './bulk/bulk-actions.tsx';
import { ColumnsMenu, useColumnChoice } from './columns-menu.tsx';
import { BesideRows, useDeploymentColumns } from './deployment-columns.tsx';
import { useRevisions, useVersions } from './facts/columns.ts';
import { stateFilters } from './facts/deployment-state.ts';
import { SavedViews } from './saved-views.tsx';

type Deployment = Row<'deployments'>;

/** Every deployment that the viewer may see, one per line. */
export function DeploymentList() {
  const [address, change] = useAddress();
  const may = useMay();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Deployment>>(new Map());
  const [inView, setInView] = useState<Deployment[]>([]);
  const [clusters, kinds] = [useClusters(), useKinds()];
  const query = queryOf(address);
  const attention = useQuery(
    pageOf('deployments', { needs_attention: true, page: 1, per_page: 1, ...(address.env && { env_id: address.env }) }),
  );
  const isFiltered = Object.keys(query).some((key) => key !== 'sort' && key !== 'env_id');

  const isChosen = useCallback(({ id }: Deployment) => chosen.has(id), [chosen]);
  const onChoose = useCallback((row: Deployment, isNow: boolean) => {
    setChosen((before) => {
      const next = new Map(before);
      if (isNow) next.set(row.id, row);
      else next.delete(row.id);
      return next;
    });
  }, []);
  const columns = useColumnChoice(useDeploymentColumns({ isChosen, onChoose }));

  return (
    <Page
      title="Deployments"
      actions={
        <>
          <ColumnsMenu {...columns} />
          <SavedViews />
          {may.somewhere('deployments', 'create') && (
            <Link className="button primary" to="/deployments/new">
              New deployment
            </Link>
          )}
        </>
      }
    >
      <div className="filters" role="search" aria-label="Filters of deployments">
        <FilterByText label="Filter by name" value={address['name'] ?? ''} onChange={(name) => change({ name })} />
        <ToggleButton
          className="button"
          isSelected={address['attention'] === 'true'}
          onChange={(on) => change({ attention: on ? 'true' : null })}
        >
          Needs attention
          {attention.data && <span className="count">{attention.data.num_total.toLocaleString()}</span>}
        </ToggleButton>
        <Choose
          label="State"
          inline
          none="Any state"
          choices={stateFilters}
          value={address['state'] ?? null}
          onChange={(state) => change({ state })}
        />
        <Choose
          label="Kind"
          inline
          none="Any kind"
          choices={choicesIn(kinds)}
          value={address['kind'] ?? null}
          onChange={(kind) => change({ kind })}
        />
        <Choose
          label="Cluster"
          inline
          none="Any cluster"
          choices={choicesIn(clusters)}
          value={address['cluster'] ?? null}
          onChange={(cluster) => change({ cluster })}
        />
        {address['chart'] && <ChartFilter id={address['chart']} onClear={() => change({ chart: null })} />}
        {isFiltered && (
          <Button
            className="button bare"
            onPress={() => change({ name: null, attention: null, state: null, kind: null, cluster: null, chart: null })}
          >
            Clear
          </Button>
        )}
        <Total query={query} />
      </div>
      {chosen.size > 0 && (
        <BulkActions
          chosen={[...chosen.values()]}
          onAll={
            inView.some(({ id }) => !chosen.has(id))
              ? () => setChosen(new Map([...chosen, ...inView.map((row) => [row.id, row] as const)]))
              : undefined
          }
          onDone={() => setChosen(new Map())}
        />
      )}
      <DeploymentRows
        query={query}
        columns={columns.shown}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        isSelected={isChosen}
        onView={setInView}
        empty={
          isFiltered ? (
            <Empty title="No deployment matches these filters" />
          ) : (
            <Empty title="There are no deployments yet">
              <p>A deployment is a chart, with its inputs, on a cluster of an env.</p>
              <Link className="button" to="/deployments/new">
                New deployment
              </Link>
            </Empty>
          )
        }
      />
    </Page>
  );
}

type DeploymentRowsProps = Omit<ComponentProps<typeof Rows<'deployments'>>, 'label' | 'resource' | 'onRead'>;

/** The rows, with versions and revisions. Apart from the filters, so that those are not drawn again when these arrive. */
function DeploymentRows(props: DeploymentRowsProps) {
  const [read, setRead] = useState<Deployment[]>([]);
  const rows = useDeferredValue(read);
  const [versions, revisions] = [useVersions(rows), useRevisions(rows)];
  const beside = useMemo(() => ({ versions, revisions }), [versions, revisions]);
  return (
    <BesideRows value={beside}>
      <Rows {...props} label="Deployments" resource="deployments" onRead={setRead} />
    </BesideRows>
  );
}

/** The version that a link asks for, such as one on the page of a chart. */
function ChartFilter({ id, onClear }: { id: string; onClear: () => void }) {
  const tag = useVersions([{ helm_chart_id: id }]).get(id)?.image_tag ?? id.slice(0, 8);
  return (
    <Button className="button" data-selected onPress={onClear} aria-label={`Chart ${tag}: show all charts`}>
      Chart <span className="mono">{tag}</span> <Icon name="close" />
    </Button>
  );
}

function Total({ query }: { query: ListQuery<'deployments'> }) {
  const { data, dataUpdatedAt } = useQuery(pageOf('deployments', { ...query, page: 1, per_page: 100 }));
  if (!data) return null;
  return (
    <span className="meta">
      {data.num_total.toLocaleString()} {data.num_total === 1 ? 'deployment' : 'deployments'} · as of{' '}
      <Age time={new Date(dataUpdatedAt).toISOString()} />
    </span>
  );
}

const sorts = ['name', '-name', 'health', '-health', 'created_at', '-created_at'] as const;

/** The query for an address, without values that the server does not know. */
function queryOf(address: Record<string, string | undefined>): ListQuery<'deployments'> {
  const state = stateFilters.find(({ id }) => id === address['state']);
  const { name, env, kind, cluster, chart } = address;
  return {
    ...(name && { name }),
    ...(env && { env_id: env }),
    ...(kind && { kind_id: kind }),
    ...(cluster && { cluster_id: cluster }),
    ...(chart && { helm_chart_id: chart }),
    ...(address['attention'] === 'true' && { needs_attention: true }),
    ...state?.query,
    sort: sorts.find((sort) => sort === address['sort']) ?? 'name',
  };
}
