import { ResourceTypes } from '@berth/chart-extensions/files/resource-types';
import { JsonObject } from '@berth/contracts/fields/fields';
import { parseOnce } from '../deployments/parse-once.ts';
import { operationOf } from '../engine/operations/index.ts';
import type { DeploymentRecord } from '../records/deployment-record.ts';
import type { TaskRecord } from '../records/task-record.ts';
import type { WritingStore } from '../store/store.ts';
import { sensitiveInputs } from './type-spec.ts';

const parsed = parseOnce((stored) => ResourceTypes.safeParse(stored), { entries: 500, bytes: 4 * 1024 * 1024 });

type Registering = Pick<WritingStore, 'resourceTypes' | 'resourceTypeChanges' | 'resourceChanges'>;

/**
 * Updates the resource types after a completed run. An install or upgrade registers exactly the types of its chart. Removing a
 * release unregisters them, unless the deployment moves and is installed again.
 */
export async function registerTypes(
  store: Registering,
  deployment: Pick<DeploymentRecord, 'id' | 'env_id' | 'kind_id'>,
  { run, operation }: Pick<TaskRecord, 'run' | 'operation'>,
): Promise<void> {
  if (operationOf(operation).effect === 'removes') return store.resourceTypeChanges.withdraw(deployment);
  if (run?.action !== 'deploy') return;
  const chart = await store.resourceTypes.ofChart(run.helm_chart_id, deployment.id);
  if (!chart || (chart.resource_types === null && !chart.registers)) return;

  const { data: defined } = parsed(chart.resource_types ?? {});
  // Types that only older rules accepted: keep the registered ones.
  if (!defined) return;
  const types = Object.entries(defined).map(([key, spec]) => ({
    key,
    env_id: spec.global ? null : deployment.env_id,
    // Absent members are not stored.
    spec: JsonObject.parse(JSON.parse(JSON.stringify(spec))),
    sensitive: sensitiveInputs(spec),
  }));
  await store.resourceTypeChanges.register(deployment, types);
  await store.resourceChanges.hasten(deployment.id);
}
