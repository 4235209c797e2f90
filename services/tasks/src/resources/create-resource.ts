import { randomUUID } from 'node:crypto';
import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { canonicalJson } from '@berth/contracts/fields/canonical-json';
import { isJsonObject } from '@berth/contracts/fields/json';
import {
  type DeploymentResource,
  deploymentResources,
  type NewDeploymentResource,
} from '@berth/contracts/resources/deployments/deployment-resources';
import { createRow } from '@berth/db/changes/create-row';
import { found, named } from '@berth/contracts/errors';
import { checkConfig } from '../deployments/check-config.ts';
import { conflict, unfit } from '../errors/refuse.ts';
import { originOf } from '../records/origin-of.ts';
import type { ResourceRecord } from '../records/resource-record.ts';
import { refuseWithMissingKeys } from '../secrets/missing-keys.ts';
import { repeatableWith } from '../secrets/repeatable-with.ts';
import { sealProps } from '../secrets/sealed-props.ts';
import type { WritingStore } from '../store/store.ts';
import { auditedResource } from './audited-resource.ts';
import { governing, isManager, lifecycleScope } from './lifecycle-scope.ts';
import { mergedProps } from './merged-props.ts';
import type { ResourcesDeps } from './resources-deps.ts';
import { newSync } from './sync/sync.ts';
import { sensitiveInputs } from './type-spec.ts';

type Context = HandlerContext<typeof deploymentResources.operations.create>;

/** Limit per managing deployment: each resource is a row that may wait for calls. */
const maxResources = 10_000;

/** Creates the row; the managing deployment is called after the commit. */
export const createResource =
  (deps: ResourcesDeps) =>
  (body: NewDeploymentResource, context: Context): Promise<DeploymentResource> => {
    const { secretKeys } = deps;
    const digested = { ...body, props: secretKeys.digest(canonicalJson(body.props)) };
    return createRow(deps.inTransaction, repeatableWith(context, { body: digested }), deploymentResources, {
      insert: (store) => insert(deps, store, body, context),
      audited: (row) => auditedResource('create')(row),
      answer: async ({ id }, { resources }) => found(await resources.find(id, 'all'), 'deployment resource'),
    });
  };

async function insert(
  { heldReaders, secretKeys }: ResourcesDeps,
  store: WritingStore,
  body: NewDeploymentResource,
  context: Context,
): Promise<ResourceRecord> {
  const visible = visibleEnvs(context.identity);
  const type = named(await store.resourceTypes.find(body.type_id, visible), 'body.type_id', 'deployment resource type');
  named(await store.deployments.find(body.deployment_id, visible), 'body.deployment_id', 'deployment');
  const manager = named(await store.deployments.lock(body.deployment_id), 'body.deployment_id', 'deployment');
  const { id: deployment_id, env_id } = manager;
  const governed = await governing(store, type, deployment_id);
  context.permit(lifecycleScope(governed, 'create', { env_id, deployment_id }));

  const at = 'body.deployment_id';
  const { spec, isRegistered } = governed;
  if (manager.kind_id !== type.deployment_kind_id) throw unfit(at, 'is of another kind than the type');
  if (type.env_id !== null && type.env_id !== env_id) throw unfit(at, 'lies in another env than the type');
  if (manager.deleting) throw conflict('The deployment that is to manage it is being deleted');
  if (!manager.enabled) throw conflict('The deployment that is to manage it is disabled');
  if (!isRegistered) throw unfit(at, 'does not manage resources of this type: the chart that it runs defines none');
  const byManager = isManager(context.identity, deployment_id);
  if (!byManager && spec.lifecycle.create === undefined) {
    throw unfit('body.type_id', `${spec.name_plural} are created by ${manager.namespace} only`);
  }

  if (!isJsonObject(body.props)) throw unfit('body.props', 'must be a JSON object: the values of the inputs');
  const { values_ui: form } = spec;
  // Absent and null are equal; unknown inputs are refused below.
  const config = mergedProps({}, body.props, form.inputs);
  await checkConfig(heldReaders(store), { form, config, envId: env_id, at: 'body.props' });
  const count = await store.resources.countOf(deployment_id);
  if (count >= maxResources)
    throw conflict(`${manager.namespace} manages ${count} resources already; more are refused`);

  const row = { id: (byManager && body.id) || randomUUID(), type_id: type.id };
  const sealed = sealProps(secretKeys, row, config, sensitiveInputs(spec));
  if (sealed.sealed_props !== null) await refuseWithMissingKeys(store, secretKeys);
  const { sync_status, exists, known } = newSync((byManager && body.sync_status) || 'Creating', governed.callable);
  if (!exists) throw unfit('body.sync_status', 'a resource that is deleted already cannot be created');
  return store.resourceChanges.insert({
    ...row,
    ...sealed,
    created_at: byManager ? body.created_at : undefined,
    env_id,
    deployment_id,
    name: body.name,
    sync_status,
    sync_reason: null,
    known,
    attempts: 0,
    is_outdated: false,
    is_slow: false,
    origin: originOf(context),
  });
}
