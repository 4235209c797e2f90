import { type Client, type Deployment, unwrap } from '@berth/client';
import type { Cli } from '../../terminal/cli.ts';
import { followTasks } from '../tasks/follow-tasks.ts';
import { deploysThis, type DesiredDeployment } from './deploy-decisions.ts';

interface FollowPresent {
  cli: Cli;
  client: Client;
  present: Deployment;
  wanted: Pick<DesiredDeployment, 'chartId' | 'config'>;
  withinMs: number | undefined;
}

/** A repeated step ends as the task that the first one queued; Ctrl-C does not cancel it, since it may be of somebody else. */
export async function followPresent({ cli, client, present, wanted, withinMs }: FollowPresent): Promise<void> {
  const query = { deployment_id: present.id, show_future: false, sort: '-created_at', per_page: 100 } as const;
  const { items } = unwrap(await client.deploymentTasks.list({ query }));
  const task = items.find((one) => deploysThis(one, wanted));
  if (task) await followTasks({ cli, client, ids: [task.id], withinMs, areForeign: true });
}
