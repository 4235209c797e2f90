import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { nameIn, useKinds } from '../../api/names.ts';
import { allOf, type Row } from '../../api/reads.ts';
import { Age } from '../../ui/age.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { EnvRow } from '../facts/env-row.ts';
import { NewGrant } from './new-grant.tsx';

type Grant = Row<'clusterRoleGrants'>;

/** The ClusterRoles that deployments of a kind act with in this env. */
export function Grants({ env }: { env: EnvRow }) {
  const permission = useMay()('clusterRoleGrants', 'create');
  const kinds = useKinds();
  const grants = useQuery(allOf('clusterRoleGrants', { env_id: env.id }));
  const [isNew, setIsNew] = useState(false);
  const [revoked, setRevoked] = useState<Grant | null>(null);
  return (
    <section className="section">
      <header>
        <h2>ClusterRoles granted to kinds</h2>
        {permission.allowed && (
          <Button className="button small" onPress={() => setIsNew(true)}>
            Grant a ClusterRole
          </Button>
        )}
      </header>
      <Reading of={grants} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <div className="panel">
              <Empty title="No kind acts with a ClusterRole here">
                <p>
                  Deployments that manage objects of their cluster need one that the operator of the cluster has
                  installed. {!permission.allowed && `It is granted by ${permission.needs}.`}
                </p>
              </Empty>
            </div>
          ) : (
            <ul className="lines">
              {rows.map((grant) => (
                <li key={grant.id}>
                  <span />
                  <span>
                    {nameIn(kinds, grant.kind_id)}: <code>{grant.cluster_role}</code>
                  </span>
                  {permission.allowed ? (
                    <Button
                      className="button small"
                      aria-label={`Revoke ${grant.cluster_role} of ${nameIn(kinds, grant.kind_id)}`}
                      onPress={() => setRevoked(grant)}
                    >
                      Revoke …
                    </Button>
                  ) : (
                    <span />
                  )}
                  <span className="meta">
                    {grant.scope === 'Cluster' ? 'in the whole cluster' : 'in the namespaces of the deployments'} ·
                    since <Age time={grant.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
      {isNew && <NewGrant env={env} onClose={() => setIsNew(false)} />}
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.cluster_role}`}
          action="Revoke"
          typed={revoked.cluster_role}
          destroys
          isOpen
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            unwrap(await berth.clusterRoleGrants.delete({ id: revoked.id }));
            say(`${revoked.cluster_role} was revoked`);
          }}
        >
          <p>
            Its bindings are removed from the clusters of {env.name}. What deployments of{' '}
            {nameIn(kinds, revoked.kind_id)} do with it is refused from then on.
          </p>
        </Confirm>
      )}
    </section>
  );
}
