import { Budget } from '@berth/chart-extensions/budget/budget';
import { configReferences } from '@berth/chart-extensions/config/config-references';
import { inTurns } from '@berth/chart-extensions/budget/in-turns';
import { outputParts } from '@berth/chart-extensions/config/output-values';
import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import type { Bus } from '@berth/bus/bus';
import { isJsonObject, type JsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import type { DeploymentCall } from '@berth/contracts/resources/tasks/runner-tasks';
import { AppError } from '@berth/contracts/errors';
import { nextTurn } from '@berth/service/waiting/next-turn';
import { findItems, type ItemReaders } from '../collections/find-items.ts';
import type { InvokeRun } from '../records/task-run.ts';
import type { ProjectionRepository } from '../store/projection-repository.ts';
import { sensitiveTexts } from '../values/sensitive-texts.ts';
import { bodyFor, hostOfCall } from '../values/call-of-deployment.ts';
import { findAction } from './find-action.ts';

export interface CallDeps {
  bus: Pick<Bus, 'call'>;
  projected: Pick<ProjectionRepository, 'chart' | 'clusterInEnv'>;
  readers: ItemReaders;
}

export interface ActionCall {
  run: InvokeRun;
  /** The first label of the hostname of what is installed. */
  hostname: string | null;
  deploymentId: string;
  deadlineMs: number;
}

/** The call that a runner makes for an action: the body that the form makes from the inputs, and a token for this call. */
export async function callOfAction(
  { bus, projected, readers }: CallDeps,
  { run, hostname, deploymentId, deadlineMs }: ActionCall,
): Promise<DeploymentCall> {
  const { action } = await findAction(projected, run);
  const cluster = await projected.clusterInEnv(run.cluster_id);
  if (!cluster) throw new AppError('unavailable', 'The env of the cluster is not known');

  const { method, path, ui_schema: form } = action;
  const { name: cluster_name, ingress_domain } = cluster;
  const host = hostOfCall({ namespace: run.namespace, hostname, cluster_name, ingress_domain });
  const inputs = isJsonObject(run.body) ? run.body : {};
  const body = form ? await resolvedBody(readers, { form, inputs, envId: cluster.env.id }) : run.body;
  const { access_token: token } = await bus.call(
    deploymentTokens.operations.issue_for_call,
    { body: { deployment_id: deploymentId, method, path } },
    { deadlineMs },
  );
  return {
    host,
    path,
    method,
    body: body === null ? null : bodyFor(method, body),
    token,
    hidden: sensitiveTexts(form, inputs),
  };
}

async function resolvedBody(
  readers: ItemReaders,
  { form, inputs, envId }: { form: ValuesUi; inputs: JsonObject; envId: string },
): Promise<JsonValue> {
  const budget = new Budget();
  const itemOf = await findItems(readers, configReferences(form, inputs), envId);
  const propertyOf: Parameters<typeof outputParts>[1]['propertyOf'] = (reference, property) => {
    const item = itemOf(reference);
    return item && Object.hasOwn(item, property) ? item[property] : undefined;
  };
  const { values } = await inTurns(outputParts(form, { config: inputs, propertyOf, budget }), budget, nextTurn);
  return values;
}
