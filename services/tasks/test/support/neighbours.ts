import { randomUUID } from 'node:crypto';
import { seesEnv } from '@berth/contracts/access/visible-envs';
import { packIdentity } from '@berth/bus/identity-tokens/pack-identity';
import { authenticateAsSiteAdmin } from '@berth/devstack/testing/gateway-process';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import type { StateMessage } from '@berth/bus/state/publish-state';
import { catalogueState } from '@berth/contracts/resources/charts/catalogue-state';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { clusterState } from '@berth/contracts/resources/clusters/cluster-state';
import type { CallerName } from '@berth/contracts/definition/contract';
import { DeploymentKind } from '@berth/contracts/resources/charts/deployment-kinds';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { Env, envs } from '@berth/contracts/resources/envs/envs';
import { identities } from '@berth/contracts/resources/accounts/identities';
import { HelmChart } from '@berth/contracts/resources/charts/helm-charts';
import { HelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { K8sCluster } from '@berth/contracts/resources/clusters/k8s-clusters';
import { k8sResourceState, type TrackedObject } from '@berth/contracts/resources/clusters/k8s-resource-state';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { AppError } from '@berth/contracts/errors';
import { connectPatientTestBus } from '@berth/testing/test-bus';
import { sampleIdentities, testKeys } from '@berth/testing/test-identities';
import type { TestNats } from '@berth/testing/test-nats';
import type { Current } from '../../src/tasks/claims/requester-rights.ts';

/** Stubs of the other services, on a real bus with their real permissions. */
export interface Neighbours extends AsyncDisposable {
  readonly gateway: Bus;
  readonly runner: Bus;
  readonly clusterSync: Bus;
  readonly auth: Bus;
  readonly registryScan: Bus;
  /** Each function publishes the state of a row; `deleted` publishes its deletion. */
  publish: {
    env(row: Partial<Env> & { id: string }, deleted?: 'deleted'): Promise<Env>;
    cluster(row: Partial<K8sCluster>, deleted?: 'deleted'): Promise<K8sCluster>;
    kind(row: DeploymentKind): Promise<void>;
    registry(id: string, kind_id: string): Promise<void>;
    chart(row: HelmChart): Promise<HelmChart>;
  };
  /** The identities that auth returns, by ids of users and bots; `away`: it does not answer. */
  people: Map<string, Current> & { away?: boolean };
  /** Changes of envs, clusters and charts that their owners have committed but not published; calling one publishes it. */
  holdBack: {
    env(row: Partial<Env> & { id: string }): () => Promise<void>;
    cluster(row: K8sCluster): () => Promise<void>;
    chart(row: HelmChart): () => Promise<void>;
  };
  /** While false, cluster-sync and auth do not answer for clusters and envs. */
  answers: { clusters: boolean; envs: boolean };
  /** The calls to deployments for which auth was asked for a token; `away`: it does not answer. */
  callTokens: { requests: { deployment_id: string; method: string; path: string }[]; away: boolean };
  /** Tracked objects of cluster-sync by id. */
  tracked: Map<string, TrackedObject>;
  /** The answer of registry-scan for a chart's archive; null if it is unreachable. */
  archives: { digest: string | null; requests: number };
}

const created_at = '2026-01-01T00:00:00.000Z';

const newEnv = (fields: Partial<Env> & { id: string }): Env => ({
  created_at,
  name: 'staging',
  node_selector: null,
  tolerations: null,
  auto_add_new_users: false,
  ...fields,
});

export const archiveDigest = `sha256:${'a'.repeat(64)}`;

export async function startNeighbours(nats: TestNats): Promise<Neighbours> {
  await using opened = new AsyncDisposableStack();
  const connect = async (caller: CallerName) => opened.use(await connectPatientTestBus(nats, caller));
  const gateway = await connect('api-gateway');
  const runner = await connect('runner');
  const clusterSync = await connect('cluster-sync');
  const auth = await connect('auth');
  const registryScan = await connect('registry-scan');
  const archives: Neighbours['archives'] = { digest: archiveDigest, requests: 0 };
  const people: Neighbours['people'] = new Map(
    Object.values(sampleIdentities).map((identity) => [identity.id, { identity }]),
  );
  const answers: Neighbours['answers'] = { clusters: true, envs: true };
  const tracked: Neighbours['tracked'] = new Map();
  const callTokens: Neighbours['callTokens'] = { requests: [], away: false };
  const current = new Map<string, StateMessage>();
  const now = <Row>(id: string | undefined, row: { parse(given: unknown): Row }) => {
    const state = current.get(id ?? '');
    if (!state) return null;
    const { version, operation, env_id } = state;
    return { version, operation, env_id, row: row.parse(state.row) };
  };
  let version = 0;

  auth.serve(
    implement(deploymentTokens, {
      issue: () => Promise.reject(new AppError('not_implemented', 'Nobody calls back here')),
      issue_for_call: async ({ body }) => {
        callTokens.requests.push(body);
        if (callTokens.away) throw new AppError('unavailable', 'The database of auth is away');
        return {
          access_token: `token-for-${body.deployment_id}`,
          expires_at: new Date(Date.now() + 300_000).toISOString(),
        };
      },
    }),
  );
  auth.serve(implement(signingKeys, { list: async () => ({ keys: testKeys.publicJwks }) }));
  auth.serve(
    implement(identities, {
      authenticate: authenticateAsSiteAdmin,
      current: async ({ body }) => {
        if (people.away) throw new AppError('unavailable', 'The database of auth is away');
        const now = people.get(body.id) ?? { missing: 'unknown' };
        return 'missing' in now ? now : { identity: packIdentity(now.identity) };
      },
    }),
  );
  const notHere = () => Promise.reject(new AppError('not_implemented', 'Nobody needs this of auth here'));
  auth.serve(
    implement(envs, {
      list: notHere,
      create: notHere,
      impact: notHere,
      update: notHere,
      delete: notHere,
      get: async ({ id }, { identity }) => {
        if (!answers.envs) throw new AppError('unavailable', 'The database of auth is away');
        const env = current.get(id);
        if (env?.resource !== 'envs' || env.operation === 'DELETE' || !seesEnv(identity, id))
          throw new AppError('not_found', 'There is no such env');
        return Env.strip().parse(env.row);
      },
    }),
  );
  registryScan.serve(
    implement(chartArchives, {
      ensure: async () => {
        archives.requests += 1;
        if (archives.digest === null) throw new AppError('unavailable', 'The registry does not answer');
        return { digest: archives.digest };
      },
      read: () => Promise.reject(new AppError('not_implemented', 'No runner reads a chart here')),
    }),
  );
  clusterSync.serve(
    implement(clusterState, {
      now: async ({ body }) => {
        if (!answers.clusters) throw new AppError('unavailable', 'The database is away');
        return { cluster: now(body.cluster_id, K8sCluster) };
      },
    }),
  );
  clusterSync.serve(
    implement(k8sResourceState, { now: async ({ body }) => ({ resource: tracked.get(body.resource_id) ?? null }) }),
  );
  registryScan.serve(
    implement(catalogueState, {
      now: async ({ body: { helm_chart_id, kind_id } }) => {
        const chart = now(helm_chart_id, HelmChart);
        return { chart, registry: now(chart?.row.helm_registry_id, HelmRegistry), kind: now(kind_id, DeploymentKind) };
      },
    }),
  );
  await Promise.all([auth, clusterSync, registryScan].map((bus) => bus.state.ensureStream()));

  type Row = { id: string; env_id?: string | null };

  /** The owner's current row; the answer also publishes it. */
  const commit = (bus: Bus, resource: string, row: Row, deleted?: string) => {
    version += 1;
    const operation = deleted ? ('DELETE' as const) : ('INSERT' as const);
    const message = { resource, id: row.id, version, env_id: row.env_id ?? null, operation, row };
    current.set(row.id, message);
    return () => bus.state.publish(message);
  };
  const publish = (bus: Bus, resource: string, row: Row, deleted?: string) => commit(bus, resource, row, deleted)();

  const stack = opened.move();
  return {
    gateway,
    runner,
    clusterSync,
    auth,
    registryScan,
    archives,
    people,
    answers,
    callTokens,
    tracked,
    holdBack: {
      env: (fields) => commit(auth, 'envs', { ...newEnv(fields), env_id: fields.id }),
      cluster: (row) => commit(clusterSync, 'k8s_clusters', row),
      chart: (row) => commit(registryScan, 'helm_charts', row),
    },
    publish: {
      async env(fields, deleted) {
        const row = newEnv(fields);
        await publish(auth, 'envs', { ...row, env_id: row.id }, deleted);
        return row;
      },
      async cluster(fields, deleted) {
        const id = fields.id ?? randomUUID();
        const row: K8sCluster = {
          env_id: null,
          provider_id: `test:${id}`,
          created_at,
          last_seen_at: created_at,
          name: 'prod',
          region_name: 'here',
          is_ok: true,
          not_ok_reason: null,
          ignore: false,
          ingress_domain: null,
          ingress_class: null,
          ingress_tls_secret_name: null,
          metrics_url: null,
          metrics_datasource_name: null,
          ...fields,
          id,
        };
        await publish(clusterSync, 'k8s_clusters', row, deleted);
        return row;
      },
      kind: (row) => publish(registryScan, 'deployment_kinds', row),
      async registry(id, kind_id) {
        const row: HelmRegistry = {
          id,
          created_at,
          domain_name: 'registry.example.com',
          repo_name: 'web',
          kind_id,
          available: true,
          fa_icon: 'question',
          provider: 'Oci',
        };
        await publish(registryScan, 'helm_registries', row);
      },
      async chart(row) {
        await publish(registryScan, 'helm_charts', row);
        return row;
      },
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
