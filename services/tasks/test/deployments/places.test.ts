import { randomUUID } from 'node:crypto';
import type { Identity } from '@berth/contracts/access/identity';
import { implement } from '@berth/bus/rpc/implement';
import { deploymentPlace, type DeploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import type { Deployment } from '@berth/contracts/resources/deployments/deployments';
import { deployments } from '@berth/contracts/resources/deployments/deployments';
import { k8sEvents } from '@berth/contracts/resources/clusters/k8s-events';
import { AppError, found } from '@berth/contracts/errors';
import { sampleIdentities } from '@berth/testing/test-identities';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kindId, startTasksInTest, type TasksInTest } from '../support/tasks-in-test.ts';

const { siteAdmin, envUser, outsider, bot, deployment: callingDeployment } = sampleIdentities;

let tasks: TasksInTest;
let refusal: AppError | null;
let requested: object[];

beforeAll(async () => {
  tasks = await startTasksInTest();
  tasks.clusterSync.serve(
    implement(k8sEvents, {
      list: async ({ body }) => {
        requested.push(body);
        if (refusal) throw refusal;
        return { page: 1, per_page: 50, items: [], num_total: 0, incomplete: false };
      },
    }),
  );
});
afterAll(() => tasks?.[Symbol.asyncDispose]());
beforeEach(() => {
  [refusal, requested] = [null, []];
});

const place = async (id: string) =>
  (await tasks.clusterSync.call(deploymentPlace.operations.now, { body: { deployment_id: id } })).deployment;

const placed = async (id: string): Promise<DeploymentPlace> => found(await place(id), 'place');

async function reportLost(id: string, changes: Partial<Omit<DeploymentPlace, 'id'>> = {}): Promise<boolean> {
  const { cluster_id, namespace, revision_id } = { ...(await placed(id)), ...changes };
  const body = { id, cluster_id, namespace, revision_id, reason: 'The namespace is gone' };
  return (await tasks.clusterSync.call(deploymentPlace.operations.report_lost, { body })).recorded;
}

const stateOf = async ({ id }: Pick<Deployment, 'id'>) => {
  const { status, reason } = await tasks.deployment(id);
  return [status, reason];
};

test('cluster-sync reads the place of a deployment, and null for a missing one', async () => {
  const { id, namespace } = await tasks.installed();

  expect(await place(id)).toMatchObject({
    id,
    kind_id: kindId,
    cluster_id: tasks.clusterId,
    namespace,
    status: 'Running',
  });
  expect(await place(randomUUID())).toBeNull();
});

describe('a running deployment whose namespace is gone', () => {
  test('is set to Error with the reason, and a Reinstall repairs it', async () => {
    const deployment = await tasks.installed();

    expect(await reportLost(deployment.id)).toBe(true);
    expect(await stateOf(deployment)).toEqual(['Error', 'The namespace is gone']);
    expect(await reportLost(deployment.id)).toBe(false);

    await tasks.call(siteAdmin, deployments.operations.update, {
      id: deployment.id,
      body: { config: { replicas: 2 } },
    });
    await tasks.runAll();
    expect(await stateOf(deployment)).toEqual(['Running', null]);
  });

  test.for<[string, Partial<Omit<DeploymentPlace, 'id'>>]>([
    ['that an earlier revision', { revision_id: randomUUID() }],
    ['that another namespace', { namespace: 'elsewhere' }],
    ['that a namespace on another cluster', { cluster_id: randomUUID() }],
  ])('is left unchanged by a report %s is gone', async ([, changes]) => {
    const deployment = await tasks.installed();

    expect(await reportLost(deployment.id, changes)).toBe(false);

    expect(await stateOf(deployment)).toEqual(['Running', null]);
  });

  test('is left unchanged while a task changes it, and if it was uninstalled or deleted meanwhile', async () => {
    const deployment = await tasks.installed();
    const before = await placed(deployment.id);
    await tasks.call(siteAdmin, deployments.operations.update, { id: deployment.id, body: { enabled: false } });
    const task = await tasks.claimed();

    expect(await reportLost(deployment.id, before)).toBe(false);
    await tasks.finish(task);
    expect(await reportLost(deployment.id, before)).toBe(false);
    expect(await stateOf(deployment)).toEqual(['Uninstalled', null]);

    await tasks.call(siteAdmin, deployments.operations.delete, { id: deployment.id });
    const body = { ...before, reason: 'gone' };
    const { id, cluster_id, namespace, revision_id, reason } = body;
    const late = { id, cluster_id, namespace, revision_id, reason };
    expect(await tasks.clusterSync.call(deploymentPlace.operations.report_lost, { body: late })).toEqual({
      recorded: false,
    });
  });
});

describe('the Kubernetes events of a deployment', () => {
  const list = (as: Identity, id: string, query: object = {}) =>
    tasks.call(as, deployments.operations.k8s_events, { id, query });

  test('are shown to callers who may read the deployment, from the place of its release', async () => {
    const { id, namespace } = await tasks.installed();

    for (const identity of [siteAdmin, bot, envUser, callingDeployment]) {
      expect(await list(identity, id, { page: '2', per_page: '10' })).toMatchObject({ items: [] });
    }

    expect(requested).toHaveLength(4);
    expect(requested[0]).toEqual({
      deployment_id: id,
      cluster_id: tasks.clusterId,
      namespace,
      query: { page: 2, per_page: 10 },
    });
  });

  test('are not found for other callers, or for a missing deployment', async () => {
    const { id } = await tasks.installed();

    await expect(list(outsider, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(list(siteAdmin, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    expect(requested).toEqual([]);
  });

  test.for([{ page: 0 }, { per_page: 101 }, { per_page: 'ten' }, { after: '' }, { namespace: 'kube-system' }])(
    'are refused with the query %j',
    async (query) => {
      await expect(list(siteAdmin, randomUUID(), query)).rejects.toMatchObject({ code: 'invalid' });
    },
  );

  test.for(['conflict', 'unavailable'] as const)(
    'are replaced by the reason why they cannot be read: %s',
    async (code) => {
      const { id } = await tasks.installed();
      refusal = new AppError(code, 'The cluster one is out of reach');

      await expect(list(envUser, id)).rejects.toMatchObject({ code, message: 'The cluster one is out of reach' });
    },
  );

  test('are refused without the name of the cluster while the deployment leaves it for another env', async () => {
    const { id } = await tasks.installed();
    await tasks.call(siteAdmin, deployments.operations.update, { id, body: { cluster_id: tasks.otherClusterId } });
    refusal = new AppError('unavailable', 'The cluster one is out of reach', { retryAfterSeconds: 15 });

    await expect(list(siteAdmin, id)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The cluster of another env where the deployment is installed cannot be read now',
      retryAfterSeconds: 15,
    });
    await tasks.runAll();
  });
});
