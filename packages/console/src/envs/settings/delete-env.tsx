import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { useClusters } from '../../api/names.ts';
import { pageOf } from '../../api/reads.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import type { OfEnv } from '../facts/env-row.ts';

/** Deletes an env. Only an empty one can be deleted, so what is still in it is named first. */
export function DeleteEnv({ env, etag }: OfEnv) {
  const permission = useMay()('envs', 'delete');
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const total = { env_id: env.id, page: 1, per_page: 1 } as const;
  const members = useQuery(pageOf('envUserPermissions', total)).data?.num_total ?? 0;
  const secrets = useQuery(pageOf('secrets', total)).data?.num_total ?? 0;
  const resources = useQuery(pageOf('deploymentResources', total)).data?.num_total ?? 0;
  const clusters = [...useClusters().values()].filter(({ env_id }) => env_id === env.id).length;
  const inTheWay = [counted(clusters, 'cluster'), counted(secrets, 'secret'), counted(resources, 'resource')].filter(
    (words) => words !== null,
  );

  return (
    <section className="section">
      <header>
        <h2>Delete the env</h2>
      </header>
      <p className="muted">
        {inTheWay.length > 0
          ? `It has ${inTheWay.join(' and ')}. Only an env without clusters, secrets and resources can be deleted.`
          : 'Its members lose their roles in it. This cannot be undone.'}
      </p>
      {permission.allowed ? (
        inTheWay.length === 0 && (
          <Button className="button danger" onPress={() => setIsAsking(true)}>
            Delete {env.name} …
          </Button>
        )
      ) : (
        <p className="meta">Deleted by {permission.needs}</p>
      )}
      <Confirm
        title={`Delete ${env.name}`}
        action="Delete"
        typed={env.name}
        destroys
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={async () => {
          unwrap(await berth.envs.delete({ id: env.id }, etag === null ? {} : { ifMatch: etag }));
          say(`${env.name} was deleted`);
          await navigate({ to: '/envs' });
        }}
      >
        <p>
          The env is deleted with the roles of {counted(members, 'member') ?? 'no member'} and the types of resources
          that its charts defined. This cannot be undone.
        </p>
      </Confirm>
    </section>
  );
}

const counted = (count: number, what: string): string | null =>
  count === 0 ? null : `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;
