import { type Client, type DeploymentTask, unwrap } from '@berth/client';
import { CliFailure } from '../failure/cli-failure.ts';
import { resolveDeployment } from './resolve.ts';

/** The task with this id, which may be written as `task/ID`, or the newest task of the named deployment. */
export async function taskOf(client: Client, name: string, env: string | undefined): Promise<DeploymentTask> {
  const [, written] = /^task\/(.+)$/.exec(name) ?? [];
  if (written !== undefined) return unwrap(await client.deploymentTasks.get({ id: written }));
  const task = /^[0-9a-f-]{36}$/i.test(name) ? await client.deploymentTasks.get({ id: name }) : null;
  if (task?.ok) return task.value;
  // The id may be one of a deployment.
  if (task && task.problem.code !== 'not_found') return unwrap(task);
  const { id } = await resolveDeployment(client, name, env);
  const [newest] = unwrap(
    await client.deploymentTasks.list({ query: { deployment_id: id, sort: '-created_at', per_page: 1 } }),
  ).items;
  if (!newest) throw new CliFailure('refused', `${name} has no task`);
  return newest;
}
