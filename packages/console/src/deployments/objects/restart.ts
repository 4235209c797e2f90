import type { Answer, Client } from '@berth/client';

/** The kinds that Kubernetes can roll out again. */
export const restartableKinds: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** Queues a restart of one object of a deployment. */
export const restart = (berth: Client, deploymentId: string, { id, name }: { id: string; name: string }) =>
  berth.deploymentTasks.create({
    body: { deployment_id: deploymentId, operation: { RestartK8sResource: { resource_id: id, resource_name: name } } },
  });

/** Queues a restart of every object of a deployment that can be restarted. Stops at the first refusal. */
export async function restartAll(berth: Client, deploymentId: string): Promise<Answer<unknown>[]> {
  const answers: Answer<unknown>[] = [];
  for (const kind of restartableKinds) {
    const found = await berth.k8sResources.list({ query: { deployment_id: deploymentId, kind, per_page: 100 } });
    if (!found.ok) return [...answers, found];
    for (const object of found.value.items) {
      const answer = await restart(berth, deploymentId, object);
      answers.push(answer);
      if (!answer.ok) return answers;
    }
  }
  return answers;
}
