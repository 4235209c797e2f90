import { namespaceAnnotations } from '@berth/contracts/fields/kubernetes-names';
import { expect, test } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.ts';
import type { Namespace } from '../cluster/kube-objects.ts';
import { prepareNamespace } from './prepare-namespace.ts';

const task = { task_id: 't', fence: 2, namespace: 'n', deployment_id: 'd', deployment_name: 'n', kind: 'k' };
const earlier: Namespace = { metadata: { name: 'n', annotations: { [namespaceAnnotations.deploymentId]: 'd' } } };

/** A cluster for which the test decides the answers about the release and the fence. */
function prepare({ isFirst }: { isFirst: boolean }) {
  const revisions = Promise.withResolvers<[]>();
  const annotated = Promise.withResolvers<boolean>();
  const cluster = {
    createNamespace: async () => true,
    readNamespace: async () => earlier,
    annotateNamespace: () => annotated.promise,
    releaseRevisions: () => revisions.promise,
  } as Partial<ClusterClient> as ClusterClient;
  const run = {
    task: { ...task, is_first: isFirst } as Parameters<typeof prepareNamespace>[0]['task'],
    lease: { confirm: async () => undefined },
    log: { say: () => undefined },
    stop: new AbortController().signal,
  };
  return {
    prepared: prepareNamespace(run, cluster),
    observe: () => revisions.resolve([]),
    takeFence: () => annotated.resolve(true),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the fence of a created namespace is the last answer of its preparation', async () => {
  const { prepared } = prepare({ isFirst: true });

  expect(await prepared).toEqual({ observed: { status: 'absent' }, isFenceLast: true });
});

test('a fence that is taken after the release was observed is the last answer of the preparation', async () => {
  const { prepared, observe, takeFence } = prepare({ isFirst: false });

  observe();
  await turn();
  takeFence();

  expect(await prepared).toMatchObject({ isFenceLast: true });
});

test('a fence that is taken before the release was observed is not the last answer of the preparation', async () => {
  const { prepared, observe, takeFence } = prepare({ isFirst: false });

  takeFence();
  await turn();
  observe();

  expect(await prepared).toMatchObject({ isFenceLast: false });
});
