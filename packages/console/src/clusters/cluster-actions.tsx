import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { type One, pageOf, type Row } from '../api/reads.ts';
import { ActionsMenu } from '../ui/page/actions-menu.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';

interface ClusterActionsProps {
  cluster: Row<'k8sClusters'>;
  etag: One<unknown>['etag'];
}

/** Uses, ignores or forgets a cluster. */
export function ClusterActions({ cluster, etag }: ClusterActionsProps) {
  const may = useMay();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'use' | 'forget' | null>(null);
  const close = () => setAsked(null);
  const { id, name, ignore } = cluster;
  const options = etag === null ? {} : { ifMatch: etag };
  const there = useQuery(pageOf('deployments', { cluster_id: id, page: 1, per_page: 1 }));
  const count = there.data?.num_total ?? 0;
  const many = count === 1 ? '1 deployment' : `${count.toLocaleString()} deployments`;

  return (
    <>
      <ActionsMenu
        label={`More actions for ${name}`}
        actions={[
          {
            words: ignore ? 'Use …' : 'Ignore …',
            onAction: () => setAsked('use'),
            permission: may('k8sClusters', 'update'),
            destroys: !ignore,
          },
          {
            words: 'Forget …',
            onAction: () => setAsked('forget'),
            permission: may('k8sClusters', 'delete'),
            unless: count > 0 ? `it has ${many}` : undefined,
            destroys: true,
          },
        ]}
      />
      <Confirm
        title={ignore ? `Use ${name}` : `Ignore ${name}`}
        action={ignore ? 'Use' : 'Ignore'}
        destroys={!ignore}
        isOpen={asked === 'use'}
        onClose={close}
        onConfirm={async () => {
          unwrap(await berth.k8sClusters.update({ id, body: { ignore: !ignore } }, options));
          say(ignore ? `${name} is used` : `${name} is ignored`);
        }}
      >
        <p>
          {ignore
            ? `Its objects are read again, and tasks that wait for it run: it has ${many}.`
            : `It has ${many}. What runs there keeps running, but Berth asks the cluster nothing: tasks wait, health is unknown, credentials of deployments are no longer renewed, and there are no logs or events.`}
        </p>
      </Confirm>
      <Confirm
        title={`Forget ${name}`}
        action="Forget"
        typed={name}
        destroys
        isOpen={asked === 'forget'}
        onClose={close}
        onConfirm={async () => {
          unwrap(await berth.k8sClusters.delete({ id }, options));
          say(`${name} is forgotten`);
          void navigate({ to: '/clusters' });
        }}
      >
        <p>
          Its env, ingress and metrics settings are deleted. On the cluster itself nothing changes. If its source still
          lists it, it is found again as a new cluster, which is ignored at first.
        </p>
      </Confirm>
    </>
  );
}
