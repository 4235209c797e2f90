import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../api/berth.ts';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import type { ChartAction } from './chart-actions.ts';
import type { DeploymentRow } from './facts/deployment-row.ts';

interface InvokeDialogProps {
  action: ChartAction;
  deployment: DeploymentRow;
  onClose: () => void;
}

/** Calls an action of the running deployment; the answer is in the log of its task. */
export function InvokeDialog({ action, deployment, onClose }: InvokeDialogProps) {
  const navigate = useNavigate();
  const [body, setBody] = useState('{}');
  return (
    <Confirm
      title={action.title}
      action={action.title}
      destroys={action.dangerous}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        const operation = {
          InvokeAction: { helm_chart_id: deployment.helm_chart_id, action_id: action.id, body: JSON.parse(body) },
        };
        const task = unwrap(await berth.deploymentTasks.create({ body: { deployment_id: deployment.id, operation } }));
        void navigate({ to: '/tasks/$id', params: { id: task.id } });
      }}
    >
      <p>{action.description}</p>
      {action.ui_schema !== null && <TextInput label="Inputs, as JSON" value={body} onChange={setBody} rows={6} />}
    </Confirm>
  );
}
