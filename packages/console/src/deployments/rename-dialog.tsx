import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { nameIn, useClusters, useEnvs } from '../api/names.ts';
import { Choose } from '../ui/inputs/choose.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import type { DeploymentRow } from './facts/deployment-row.ts';

interface RenameDialogProps {
  deployment: DeploymentRow;
  etag: string | null;
  onClose: () => void;
}

/** Changes name or cluster: the release is uninstalled, then installed in its new place. */
export function RenameDialog({ deployment, etag, onClose }: RenameDialogProps) {
  const may = useMay();
  const navigate = useNavigate();
  const [name, setName] = useState(deployment.name);
  const [clusterId, setClusterId] = useState(deployment.cluster_id);
  const envs = useEnvs();
  const clusters = [...useClusters().values()].filter(
    ({ id, env_id, ignore }) =>
      id === deployment.cluster_id ||
      (env_id !== null && !ignore && may('deployments', 'create', { env_id, kind_id: deployment.kind_id }).allowed),
  );
  return (
    <Confirm
      title="Rename or move"
      action="Rename or move"
      destroys
      typed={deployment.namespace}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        const body = {
          ...(name !== deployment.name && { name }),
          ...(clusterId !== deployment.cluster_id && { cluster_id: clusterId }),
        };
        const answer = await berth.deployments.update(
          { id: deployment.id, body },
          etag === null ? {} : { ifMatch: etag },
        );
        unwrap(answer);
        const [first] = answer.ok ? answer.taskIds : [];
        if (first !== undefined) void navigate({ to: '/tasks/$id', params: { id: first } });
      }}
    >
      <p>
        The release in <code>{deployment.namespace}</code> is uninstalled and its namespace deleted, with the data of
        its volumes. Then it is installed in its new place.
      </p>
      <TextInput label="Name" value={name} onChange={setName} />
      <Choose
        label="Cluster"
        choices={clusters.map(({ id, name: words, env_id }) => ({ id, words: `${words} · ${nameIn(envs, env_id)}` }))}
        value={clusterId}
        onChange={(id) => id !== null && setClusterId(id)}
      />
    </Confirm>
  );
}
