import { createContext, use, useMemo } from 'react';
import { nameIn, useClusters, useEnvs, useKinds, useUsers } from '../api/names.ts';
import type { Row } from '../api/reads.ts';
import { Age } from '../ui/age.tsx';
import { RowCheck } from '../ui/reading/row-check.tsx';
import type { Column } from '../ui/reading/line.tsx';
import { createdColumn } from '../ui/page/usual-columns.tsx';
import type { useRevisions, useVersions } from './facts/columns.ts';
import { nameColumn, stateColumn, whyColumn } from './facts/usual-columns.tsx';

type Deployment = Row<'deployments'>;

interface BesideRows {
  versions: ReturnType<typeof useVersions>;
  revisions: ReturnType<typeof useRevisions>;
}

/** What is read in addition to the rows. As a context, since then only the cells that show it are drawn again when it arrives. */
export const BesideRows = createContext<BesideRows>({ versions: new Map(), revisions: new Map() });

function Version({ row: { helm_chart_id } }: { row: Deployment }) {
  const version = use(BesideRows).versions.get(helm_chart_id);
  return (
    <>
      <span className="mono">{version?.parsed_version ?? version?.image_tag}</span>
      {version !== undefined && version.newer > 0 && <span className="newer">↑ {version.newer} newer</span>}
    </>
  );
}

interface ChangedProps {
  row: Deployment;
  users: ReturnType<typeof useUsers>;
}

function Changed({ row: { revision_id, created_at }, users }: ChangedProps) {
  const { revisions } = use(BesideRows);
  const revision = revision_id === null ? undefined : revisions.get(revision_id);
  const by = nameIn(users, revision?.acting_user_id ?? null);
  return (
    <span title={by}>
      <Age time={revision?.created_at ?? created_at} />
      {by !== '' && ` · ${by}`}
    </span>
  );
}

interface Choosing {
  isChosen: (row: Deployment) => boolean;
  onChoose: (row: Deployment, isChosen: boolean) => void;
}

/** All columns of the list. They stay the same object while it scrolls. */
export function useDeploymentColumns({ isChosen, onChoose }: Choosing): Column<Deployment>[] {
  const [envs, clusters, kinds, users] = [useEnvs(), useClusters(), useKinds(), useUsers()];
  return useMemo(
    () => [
      {
        title: 'Choose',
        hideTitle: true,
        width: '40px',
        narrow: 'first',
        cell: (row) => (
          <RowCheck
            label={`Choose ${nameIn(kinds, row.kind_id)} / ${row.name}`}
            isSelected={isChosen(row)}
            onChange={(is) => onChoose(row, is)}
          />
        ),
      },
      { ...stateColumn, sort: 'health' },
      { ...nameColumn(kinds), width: 'minmax(172px, 1.7fr)', sort: 'name' },
      {
        title: 'Namespace',
        width: 'minmax(140px, 1.2fr)',
        cell: ({ namespace }) => <span className="mono">{namespace}</span>,
      },
      { title: 'Env', width: 'minmax(72px, .7fr)', wideOnly: true, cell: ({ env_id }) => nameIn(envs, env_id) },
      {
        title: 'Cluster',
        width: 'minmax(72px, .7fr)',
        wideOnly: true,
        cell: ({ cluster_id }) => nameIn(clusters, cluster_id),
      },
      {
        title: 'Version',
        width: 'minmax(130px, 1.2fr)',
        cell: (row) => <Version row={row} />,
      },
      { ...whyColumn, width: 'minmax(150px, 2.4fr)' },
      {
        title: 'Changed',
        width: 'minmax(136px, 1.3fr)',
        className: 'muted',
        cell: (row) => <Changed row={row} users={users} />,
      },
      createdColumn(),
    ],
    [envs, clusters, kinds, users, isChosen, onChoose],
  );
}
