import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { type Permission, useMay } from '../../api/me.ts';
import { type ListQuery, pageOf, type Row } from '../../api/reads.ts';
import { useAddress } from '../../ui/page/address.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Rows } from '../../ui/reading/rows.tsx';
import { actionsColumn, createdColumn } from '../../ui/page/usual-columns.tsx';
import { State, type StateWord } from '../../ui/state.tsx';
import type { EnvRow } from '../facts/env-row.ts';
import { DeleteResource } from './delete-resource.tsx';
import { EditResource } from './edit-resource.tsx';
import { NewResource } from './new-resource.tsx';
import type { LifecycleStep, ResourceType } from './resource-type.ts';

type Resource = Row<'deploymentResources'>;
type Asked = { what: 'create' } | { what: 'update' | 'delete'; resource: Resource } | null;

const states: Record<Resource['sync_status'], StateWord['tone']> = {
  Creating: 'busy',
  Updating: 'busy',
  Deleting: 'busy',
  Ready: 'ok',
  Error: 'bad',
};
const sorts = ['name', '-name', 'sync_status', '-sync_status', 'created_at', '-created_at'] as const;

interface ResourcesOfTypeProps {
  env: EnvRow;
  row: Row<'deploymentResourceTypes'>;
  type: ResourceType;
  /** The name of the kind whose deployments manage them. */
  kind: string;
  /** The choice of another type. */
  children: ReactNode;
}

export function ResourcesOfType({ env, row, type, kind, children }: ResourcesOfTypeProps) {
  const may = useMay();
  const [address, change] = useAddress();
  const [asked, setAsked] = useState<Asked>(null);
  const managers = useQuery(
    pageOf('deployments', { env_id: env.id, kind_id: row.deployment_kind_id, page: 1, per_page: 100, sort: 'name' }),
  );
  const nameOf = (id: string) => managers.data?.items.find((manager) => manager.id === id)?.name || id.slice(0, 8);
  const query: ListQuery<'deploymentResources'> = {
    env_id: env.id,
    type_id: row.id,
    sort: sorts.find((sort) => sort === address['sort']) ?? 'name',
  };
  const close = () => setAsked(null);

  const permissionFor = (step: LifecycleStep): Permission => {
    const allowed_role = type.lifecycle[step];
    if (allowed_role === undefined)
      return { allowed: false, needs: `the deployment that manages it: the type has no ${step}` };
    const scope = { env_id: env.id, kind_id: row.deployment_kind_id, allowed_role, deployment_id: null };
    const { allowed } = may('deploymentResources', step, scope);
    return { allowed, needs: `${allowed_role === 'Owner' ? 'an owner' : 'a maintainer'} of ${kind}` };
  };
  const create = permissionFor('create');

  return (
    <>
      <div className="filters">
        {children}
        <p className="muted">Managed by deployments of {kind}</p>
        <span className="meta">{!create.allowed && `New ones are for ${create.needs}`}</span>
        {create.allowed && (
          <Button className="button primary" onPress={() => setAsked({ what: 'create' })}>
            New {type.singular}
          </Button>
        )}
      </div>
      <Rows
        label={type.plural}
        resource="deploymentResources"
        query={query}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={
          <Empty title={`There are no ${type.plural} yet`}>
            {create.allowed && (
              <Button className="button" onPress={() => setAsked({ what: 'create' })}>
                New {type.singular}
              </Button>
            )}
          </Empty>
        }
        columns={[
          {
            title: 'State',
            width: '112px',
            narrow: 'first',
            sort: 'sync_status',
            cell: ({ sync_status }) => <State tone={states[sync_status]} word={sync_status} />,
          },
          {
            title: 'Name',
            width: 'minmax(120px, 1fr)',
            sort: 'name',
            className: 'cell-name',
            narrow: 'first',
            cell: ({ name }) => name,
          },
          {
            title: 'Why',
            narrow: 'second',
            width: 'minmax(80px, 2fr)',
            className: 'muted',
            cell: ({ sync_reason }) => sync_reason && <span title={sync_reason}>{sync_reason}</span>,
          },
          {
            title: 'Managed by',
            width: 'minmax(96px, 1fr)',
            cell: ({ deployment_id }) =>
              deployment_id === null ? (
                <span className="muted">nobody now</span>
              ) : (
                <Link to="/deployments/$id/{-$tab}" params={{ id: deployment_id, tab: undefined }}>
                  {nameOf(deployment_id)}
                </Link>
              ),
          },
          createdColumn(),
          actionsColumn<Resource>({
            nameOf: ({ name }) => name,
            actionsOf: (resource) => [
              {
                words: 'Change …',
                onAction: () => setAsked({ what: 'update', resource }),
                permission: permissionFor('update'),
                unless: resource.sync_status === 'Deleting' ? 'it is being deleted' : undefined,
              },
              {
                words: 'Delete …',
                onAction: () => setAsked({ what: 'delete', resource }),
                permission: permissionFor('delete'),
                destroys: true,
              },
            ],
          }),
        ]}
      />
      {asked?.what === 'create' && (
        <NewResource
          envId={env.id}
          typeId={row.id}
          type={type}
          managers={managers.data?.items.filter(({ enabled }) => enabled) ?? []}
          onClose={close}
        />
      )}
      {asked?.what === 'update' && <EditResource id={asked.resource.id} envId={env.id} type={type} onClose={close} />}
      {asked?.what === 'delete' && <DeleteResource resource={asked.resource} type={type} onClose={close} />}
    </>
  );
}
