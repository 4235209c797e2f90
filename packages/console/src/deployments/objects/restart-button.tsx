import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import type { DeploymentRow } from '../facts/deployment-row.ts';
import type { Tracked } from './resource-tree.ts';
import { restart, restartableKinds } from './restart.ts';

export function RestartButton({ resource, deployment }: { resource: Tracked; deployment: DeploymentRow }) {
  const may = useMay();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  if (!restartableKinds.includes(resource.kind) || !may('deploymentTasks', 'create', deployment).allowed) return null;
  const { kind, name } = resource;
  return (
    <>
      <Button className="button small" aria-label={`Restart ${kind} ${name}`} onPress={() => setIsAsking(true)}>
        Restart
      </Button>
      <Confirm
        title={`Restart ${kind} ${name}`}
        action="Restart"
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={async () => {
          const task = unwrap(await restart(berth, deployment.id, resource));
          void navigate({ to: '/tasks/$id', params: { id: task.id } });
        }}
      >
        <p>Its pods are replaced one after another, as its update strategy says.</p>
      </Confirm>
    </>
  );
}
