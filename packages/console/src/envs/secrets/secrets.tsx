import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay } from '../../api/me.ts';
import type { ListQuery, Row } from '../../api/reads.ts';
import { Age } from '../../ui/age.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Rows } from '../../ui/reading/rows.tsx';
import { actionsColumn } from '../../ui/page/usual-columns.tsx';
import type { OfEnv } from '../facts/env-row.ts';
import { Queued, type QueuedTasks } from '../facts/queued.tsx';
import { DeleteSecret } from './delete-secret.tsx';
import { NewSecret } from './new-secret.tsx';
import { RenameSecret } from './rename-secret.tsx';
import { ReplaceContents } from './replace-contents.tsx';

type Asked = { what: 'replace' | 'rename' | 'delete'; secret: Row<'secrets'> } | { what: 'create' } | null;

const sorts = ['collection', '-collection', 'name', '-name', 'updated_at', '-updated_at'] as const;

/** The secrets of an env. Their contents are written, and never read. */
export default function Secrets({ env }: OfEnv) {
  const permission = useMay()('secrets', 'create', { env_id: env.id });
  const [address, change] = useAddress();
  const [asked, setAsked] = useState<Asked>(null);
  const [queued, setQueued] = useState<QueuedTasks | null>(null);
  const query: ListQuery<'secrets'> = {
    env_id: env.id,
    sort: sorts.find((sort) => sort === address['sort']) ?? 'collection',
  };
  const close = () => setAsked(null);
  const create = () => setAsked({ what: 'create' });

  return (
    <>
      <div className="filters">
        <p className="muted">Contents can be replaced, but nobody can read them here.</p>
        <span className="meta">{!permission.allowed && `Secrets are written by ${permission.needs}`}</span>
        {permission.allowed && (
          <Button className="button primary" onPress={create}>
            New secret
          </Button>
        )}
      </div>
      {queued && <Queued of={queued} envId={env.id} onDismiss={() => setQueued(null)} />}
      <Rows
        label="Secrets"
        resource="secrets"
        query={query}
        sort={{ value: query.sort, onChange: (sort) => change({ sort }) }}
        empty={
          <Empty title="There are no secrets yet">
            <p>The form of a chart offers the secrets of a collection by their names.</p>
            {permission.allowed && (
              <Button className="button" onPress={create}>
                New secret
              </Button>
            )}
          </Empty>
        }
        columns={[
          {
            title: 'Collection',
            width: 'minmax(96px, 1fr)',
            sort: 'collection',
            narrow: 'second',
            cell: ({ collection }) => collection,
          },
          {
            title: 'Name',
            width: 'minmax(120px, 2fr)',
            sort: 'name',
            className: 'cell-name',
            narrow: 'first',
            cell: ({ name }) => name,
          },
          {
            title: 'Changed',
            width: '112px',
            sort: 'updated_at',
            className: 'muted',
            cell: ({ updated_at }) => <Age time={updated_at} />,
          },
          actionsColumn<Row<'secrets'>>({
            nameOf: ({ name }) => name,
            actionsOf: (secret) => [
              { words: 'Replace the contents …', onAction: () => setAsked({ what: 'replace', secret }), permission },
              { words: 'Rename …', onAction: () => setAsked({ what: 'rename', secret }), permission },
              { words: 'Delete …', onAction: () => setAsked({ what: 'delete', secret }), permission, destroys: true },
            ],
          }),
        ]}
      />
      {asked?.what === 'create' && <NewSecret env={env} onClose={close} />}
      {asked?.what === 'replace' && <ReplaceContents id={asked.secret.id} onClose={close} onDone={setQueued} />}
      {asked?.what === 'rename' && <RenameSecret id={asked.secret.id} onClose={close} onDone={setQueued} />}
      {asked?.what === 'delete' && <DeleteSecret secret={asked.secret} onClose={close} />}
    </>
  );
}
