import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { choicesIn, useKinds } from '../../api/names.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Ask } from '../../ui/page/ask.tsx';
import { say } from '../../ui/page/toasts.tsx';
import type { EnvRow } from '../facts/env-row.ts';

export function NewGrant({ env, onClose }: { env: EnvRow; onClose: () => void }) {
  const kinds = useKinds();
  const [kindId, setKindId] = useState<string | null>(null);
  const [role, setRole] = useState('');
  const [isForCluster, setIsForCluster] = useState(false);
  return (
    <Ask
      title={`Grant a ClusterRole in ${env.name}`}
      action="Grant"
      isReady={kindId !== null && role.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        if (kindId === null) return;
        const scope = isForCluster ? 'Cluster' : 'Namespace';
        const body = { env_id: env.id, kind_id: kindId, cluster_role: role, scope } as const;
        unwrap(await berth.clusterRoleGrants.create({ body }));
        say(`${role} was granted`);
      }}
    >
      <Choose label="Kind" choices={choicesIn(kinds)} value={kindId} onChange={setKindId} />
      <TextInput
        label="ClusterRole"
        help="The name of one that the operator has installed in the clusters."
        value={role}
        onChange={setRole}
        spellCheck="false"
        isRequired
      />
      <Choose
        label="Where it holds"
        choices={[
          { id: 'Namespace', words: 'In the namespace of each deployment' },
          { id: 'Cluster', words: 'In the whole cluster, for everything in it' },
        ]}
        value={isForCluster ? 'Cluster' : 'Namespace'}
        onChange={(id) => setIsForCluster(id === 'Cluster')}
      />
    </Ask>
  );
}
