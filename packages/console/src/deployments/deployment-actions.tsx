import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { oneOf, readOf } from '../api/reads.ts';
import { ActionsMenu, type MenuAction } from '../ui/page/actions-menu.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { InvokeDialog } from './invoke-dialog.tsx';
import { chartActionsOf, type ChartAction } from './chart-actions.ts';
import type { DeploymentRow } from './facts/deployment-row.ts';

interface DeploymentActionsProps {
  deployment: DeploymentRow;
  etag: string | null;
  name: string;
}

type Asked = 'reinstall' | 'disable' | 'enable' | 'delete' | 'rename' | null;

/** What can be done with a deployment besides changing it. */
export function DeploymentActions({ deployment, etag, name }: DeploymentActionsProps) {
  const may = useMay();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>(null);
  const [invoked, setInvoked] = useState<ChartAction | null>(null);
  const chart = useQuery(oneOf('helmCharts', deployment.helm_chart_id));
  const id = deployment.id;
  const asOwner = may('deployments', 'update', deployment, { stricter: true });
  const isOff = deployment.enabled ? undefined : 'it is disabled';
  const close = () => setAsked(null);

  const toTask = (taskIds: string[], words: string) => {
    const [first] = taskIds;
    say(
      words,
      first === undefined
        ? undefined
        : { words: 'Show the task', onAction: () => void navigate({ to: '/tasks/$id', params: { id: first } }) },
    );
  };
  const setEnabled = async (enabled: boolean) => {
    const answer = await berth.deployments.update({ id, body: { enabled } }, etag === null ? {} : { ifMatch: etag });
    unwrap(answer);
    toTask(answer.ok ? answer.taskIds : [], enabled ? `${name} is being installed` : `${name} is being uninstalled`);
  };

  const actions: MenuAction[] = [
    {
      words: 'Reinstall …',
      onAction: () => setAsked('reinstall'),
      permission: may('deploymentTasks', 'create', deployment),
      unless: isOff,
    },
    ...chartActionsOf(chart.data?.row.actions_schema ?? null).map((action) => ({
      words: `${action.title} …`,
      onAction: () => setInvoked(action),
      permission: may(
        'deploymentTasks',
        'create',
        { ...deployment, needsOwner: true },
        { stricter: action.allowed_role === 'Owner' },
      ),
      unless: isOff,
      destroys: action.dangerous,
    })),
    { words: 'Rename or move …', onAction: () => setAsked('rename'), permission: asOwner },
    deployment.enabled
      ? { words: 'Disable …', onAction: () => setAsked('disable'), permission: asOwner, destroys: true }
      : { words: 'Enable …', onAction: () => setAsked('enable'), permission: asOwner },
    {
      words: 'Delete …',
      onAction: () => setAsked('delete'),
      permission: may('deployments', 'delete', deployment),
      destroys: true,
    },
  ];

  return (
    <>
      <ActionsMenu label={`More actions for ${name}`} actions={actions} />
      <Confirm
        title={`Reinstall ${name}`}
        action="Reinstall"
        isOpen={asked === 'reinstall'}
        onClose={close}
        onConfirm={async () => {
          const operation = { Reinstall: { reason: 'Requested in the console' } };
          const answer = await berth.deploymentTasks.create({ body: { deployment_id: id, operation } });
          toTask([unwrap(answer).id], `${name} is being reinstalled`);
        }}
      >
        <p>It is deployed again with the chart, the inputs and the override that it has.</p>
      </Confirm>
      <Confirm
        title={`Enable ${name}`}
        action="Enable"
        isOpen={asked === 'enable'}
        onClose={close}
        onConfirm={() => setEnabled(true)}
      >
        <p>It is installed with the chart, the inputs and the override that it has.</p>
      </Confirm>
      <Confirm
        title={`Disable ${name}`}
        action="Disable"
        typed={name}
        destroys
        isOpen={asked === 'disable'}
        onClose={close}
        onConfirm={() => setEnabled(false)}
      >
        <p>
          Its release and the namespace <code>{deployment.namespace}</code> are deleted, with the data of its volumes.
          Chart, inputs and history stay, so that it can be enabled again.
        </p>
        <UsedBy id={id} />
      </Confirm>
      <Confirm
        title={`Delete ${name}`}
        action="Delete"
        typed={name}
        destroys
        isOpen={asked === 'delete'}
        onClose={close}
        onConfirm={async () => {
          const answer = await berth.deployments.delete({ id }, etag === null ? {} : { ifMatch: etag });
          unwrap(answer);
          toTask(answer.ok ? answer.taskIds : [], `${name} is being deleted`);
          void navigate({ to: '/deployments' });
        }}
      >
        <p>
          Its release and the namespace <code>{deployment.namespace}</code> are deleted, with the data of its volumes,
          then the deployment itself. This cannot be undone.
        </p>
        <UsedBy id={id} />
      </Confirm>
      {asked === 'rename' && <RenameDialog deployment={deployment} etag={etag} onClose={close} />}
      {invoked && <InvokeDialog action={invoked} deployment={deployment} onClose={() => setInvoked(null)} />}
    </>
  );
}

/** What the platform says about the deployment now. It refuses while others use it, and names them. */
function UsedBy({ id }: { id: string }): ReactNode {
  const why = useQuery(readOf('deployments', ['why', id], (options) => berth.deployments.why({ id }, options)));
  const [first] = why.data?.facts ?? [];
  return first ? <p className="meta">Now: {first.message}</p> : null;
}
