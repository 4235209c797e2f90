import { randomUUID } from 'node:crypto';
import type { Bus } from '@berth/bus/bus';
import { implement } from '@berth/bus/rpc/implement';
import type { Resource } from '@berth/contracts/definition/contract';
import { catalogueState } from '@berth/contracts/resources/charts/catalogue-state';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { type DeploymentPlace, deploymentPlace } from '@berth/contracts/resources/deployments/deployment-place';
import {
  deploymentHealth,
  type HealthReport,
  type HealthVerdict,
} from '@berth/contracts/resources/deployments/deployment-health';
import { shownTexts } from '@berth/contracts/resources/deployments/shown-texts';
import { deploymentUsage } from '@berth/contracts/resources/deployments/deployment-usage';
import { envs } from '@berth/contracts/resources/envs/envs';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError, found } from '@berth/contracts/errors';
import { connectPatientTestBus } from '@berth/testing/test-bus';
import { samplePlaces, testKeys } from '@berth/testing/test-identities';
import type { TestNats } from '@berth/testing/test-nats';
import { z } from 'zod';

export interface Neighbours extends AsyncDisposable {
  readonly auth: Bus;
  readonly tasks: Bus;
  readonly runner: Bus;
  readonly gateway: Bus;
  /** The envs that auth knows. */
  envs: string[];
  /** The deployment kinds that registry-scan knows. */
  kinds: string[];
  /** Called before registry-scan answers; an error that it throws becomes the answer. */
  beforeKind: () => Promise<void>;
  /** Called after auth has answered whether an env exists. */
  onEnvConfirmed: () => void;
  /** The claims of tasks, by id. The fence of every claim is 7. */
  claims: Map<string, ClaimedPlace>;
  /** The env of each deployment for which auth issues tokens. */
  callers: Map<string, string>;
  /** The deployments for which auth has issued tokens, one entry per token. */
  issued: string[];
  /** Called before auth answers; an error that it throws becomes the answer. */
  beforeIssue: () => Promise<void>;
  tokenSeconds: number;
  /** The places of deployments, by id. */
  places: Map<string, DeploymentPlace>;
  /** Called before tasks answers with a place; an error that it throws becomes the answer. */
  beforePlace: () => Promise<void>;
  /** The reports of lost namespaces. */
  lost: { id: string; namespace: string; reason: string; revision_id: string | null }[];
  /** The reports of health that tasks got, in their order. */
  health: HealthReport[];
  /** The answer to each report; an error that it throws becomes the answer to all. */
  onHealth: (report: HealthReport) => HealthVerdict;
  /** The names of deployments that tasks reports for every cluster. */
  deployments: string[];
}

export interface ClaimedPlace {
  cluster_id: string;
  deployment_id: string;
  namespace: string;
  is_dry_run: boolean;
  task: { action: 'deploy' | 'uninstall' | 'restart' | 'invoke'; is_first: boolean } | null;
}

const ById = z.looseObject({ id: z.string() });

/** Handlers for the operations that cluster-sync never calls. */
const unused = ({ operations }: Pick<Resource, 'operations'>) =>
  Object.fromEntries(
    Object.keys(operations).map((name) => [name, () => Promise.reject(new AppError('not_implemented', name))]),
  );

/** Serves the operations that cluster-sync calls, on a real bus with the real permissions of each service. */
export async function startNeighbours(nats: TestNats): Promise<Neighbours> {
  const [auth, tasks, runner, gateway, registryScan] = await Promise.all([
    connectPatientTestBus(nats, 'auth'),
    connectPatientTestBus(nats, 'tasks'),
    connectPatientTestBus(nats, 'runner'),
    connectPatientTestBus(nats, 'api-gateway'),
    connectPatientTestBus(nats, 'registry-scan'),
  ]);
  const neighbours: Neighbours = {
    auth,
    tasks,
    runner,
    gateway,
    envs: [],
    kinds: [],
    beforeKind: async () => undefined,
    onEnvConfirmed: () => undefined,
    claims: new Map(),
    callers: new Map(),
    issued: [],
    beforeIssue: async () => undefined,
    tokenSeconds: 3_600,
    places: new Map(),
    beforePlace: async () => undefined,
    lost: [],
    health: [],
    onHealth: () => 'recorded',
    deployments: [],
    async [Symbol.asyncDispose]() {
      for (const bus of [registryScan, gateway, runner, tasks, auth]) await bus[Symbol.asyncDispose]();
    },
  };

  auth.serve({ resource: signingKeys, handlers: { list: async () => ({ keys: testKeys.publicJwks }) } });
  auth.serve({
    resource: envs,
    handlers: {
      ...unused(envs),
      get: async (request) => {
        const id = found(
          neighbours.envs.find((known) => known === ById.parse(request).id),
          'env',
        );
        neighbours.onEnvConfirmed();
        return {
          id,
          created_at: new Date().toISOString(),
          name: 'an env',
          node_selector: null,
          tolerations: null,
          auto_add_new_users: false,
        };
      },
    },
  });
  auth.serve(
    implement(deploymentTokens, {
      issue: async ({ body: { deployment_id, env_id } }) => {
        await neighbours.beforeIssue();
        const env = found(neighbours.callers.get(deployment_id), 'deployment');
        if (env !== env_id) throw new AppError('conflict', 'The deployment is in another env');
        neighbours.issued.push(deployment_id);
        const { tokenSeconds } = neighbours;
        return {
          access_token: `token-${neighbours.issued.length}-of-${deployment_id}`,
          server_url: 'https://berth.example.com',
          expires_at: new Date(Date.now() + tokenSeconds * 1_000).toISOString(),
          lifetime_seconds: tokenSeconds,
        };
      },
      issue_for_call: () => Promise.reject(new AppError('not_implemented', 'issue_for_call')),
    }),
  );
  registryScan.serve(
    implement(catalogueState, {
      now: async ({ body: { kind_id = '' } }) => {
        await neighbours.beforeKind();
        const row = { id: kind_id, created_at: new Date().toISOString(), name: 'a kind' };
        const kind = { version: 1, operation: 'INSERT' as const, env_id: null, row };
        return { chart: null, registry: null, kind: neighbours.kinds.includes(kind_id) ? kind : null };
      },
    }),
  );
  tasks.serve({
    resource: deploymentUsage,
    handlers: {
      ...unused(deploymentUsage),
      of_cluster: async () => ({
        deployments: { count: neighbours.deployments.length, names: neighbours.deployments.slice(0, 10) },
      }),
    },
  });
  tasks.serve(
    implement(deploymentPlace, {
      now: async ({ body }) => {
        await neighbours.beforePlace();
        return { deployment: neighbours.places.get(body.deployment_id) ?? null };
      },
      report_lost: async ({ body }) => {
        neighbours.lost.push(body);
        return { recorded: true };
      },
    }),
  );
  tasks.serve(
    implement(deploymentHealth, {
      report: async ({ body: { reports } }) => {
        const verdicts = reports.map((report) => neighbours.onHealth(report));
        neighbours.health.push(...reports);
        return { verdicts };
      },
    }),
  );
  tasks.serve(
    implement(shownTexts, {
      redact: async ({ body: { deployments } }) => {
        const redact = (texts: readonly string[]) =>
          texts.map((text) => text.replaceAll('contents-of-a-secret', '***'));
        return {
          deployments: deployments.map(({ deployment_id, names, messages }) => ({
            deployment_id,
            names: redact(names),
            messages: redact(messages),
          })),
        };
      },
    }),
  );
  tasks.serve(
    implement(taskClaims, {
      get: async ({ body: { task_id, fence } }) => {
        const place = fence === 7 ? neighbours.claims.get(task_id) : undefined;
        if (place === undefined) throw new AppError('conflict', 'The task was taken over by another runner');
        const { envId, kindId } = samplePlaces;
        const hostname = 'web.apps.example.com';
        const task = place.task && { ...place.task, deployment_name: 'web', kind: 'Web', hostname };
        return { ...place, helm_chart_id: null, env_id: envId, kind_id: kindId, task };
      },
    }),
  );
  return neighbours;
}

/** Makes a claim of a task on a cluster. */
export function claimOn(
  { claims }: Pick<Neighbours, 'claims'>,
  cluster_id: string,
  { deployment_id = randomUUID(), namespace = 'web', is_dry_run = false, task }: Partial<ClaimedPlace> = {},
): { task_id: string; fence: number } {
  const task_id = randomUUID();
  const wanted = is_dry_run ? null : (task ?? { action: 'deploy', is_first: true });
  claims.set(task_id, { cluster_id, deployment_id, namespace, is_dry_run, task: wanted });
  return { task_id, fence: 7 };
}
