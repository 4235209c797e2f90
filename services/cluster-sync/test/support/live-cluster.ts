import { randomUUID } from 'node:crypto';
import { samplePlaces } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { type FakeApiServer, startFakeApiServer } from '@berth/devstack/testing/fake-api-server';
import type { ServiceInTest } from './service-in-test.ts';

export const liveDeploymentId = '5b0bd2c8-7a7e-4a5f-9f0e-6a5a0f7f3f10';

export interface LiveCluster extends AsyncDisposable {
  readonly id: string;
  readonly server: FakeApiServer;
}

/** A cluster that answers, with a deployment on it. */
export async function addLiveCluster(service: ServiceInTest): Promise<LiveCluster> {
  const server = await startFakeApiServer();
  const name = `live-${randomUUID()}`;
  const id = await service.addCluster({ name, envId: samplePlaces.envId });
  await service.db.query(sql.unsafe`update k8s_clusters set is_ok = true, not_ok_reason = null where id = ${id}`);
  const found = { provider_id: `test:${name}`, name, region_name: 'here', refused: null, access: server.access };
  service.directory.replace('test:', { clusters: [found], unread: [] });
  service.places.set(liveDeploymentId, {
    id: liveDeploymentId,
    kind_id: samplePlaces.kindId,
    env_id: samplePlaces.envId,
    cluster_id: id,
    namespace: 'ns',
    status: 'Running',
    revision_id: null,
  });
  return { id, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
