import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { isJsonObject, sameJson, type JsonObject } from '@berth/contracts/fields/json';
import { jsonBytes } from '@berth/contracts/fields/json-bytes';
import {
  type DeploymentResource,
  type DeploymentResourceChanges,
  deploymentResources,
  maxPropsBytes,
} from '@berth/contracts/resources/deployments/deployment-resources';
import { updateRow } from '@berth/db/changes/update-row';
import { found } from '@berth/contracts/errors';
import { checkConfig } from '../deployments/check-config.ts';
import { conflict, unfit } from '../errors/refuse.ts';
import { originOf } from '../records/origin-of.ts';
import { publicResource, type ResourceRecord } from '../records/resource-record.ts';
import { refuseWithMissingKeys } from '../secrets/missing-keys.ts';
import { openedOrNull, openProps, sealProps } from '../secrets/sealed-props.ts';
import type { WritingStore } from '../store/store.ts';
import { auditedResource } from './audited-resource.ts';
import { type Governing, governing, isManager, lifecycleScope } from './lifecycle-scope.ts';
import { mergedProps } from './merged-props.ts';
import { reinstallDependents } from './reinstall-dependents.ts';
import type { ResourcesDeps } from './resources-deps.ts';
import { afterEvent, isForDependents } from './sync/sync.ts';
import { syncOf, withSync } from './sync/sync-of.ts';
import { sensitiveInputs } from './type-spec.ts';

type Context = HandlerContext<typeof deploymentResources.operations.update>;

/** A locked resource with its type and managing deployment. */
interface Locked extends ResourceRecord {
  governed: Governing;
  /** The requested name and props. */
  wanted: { name: string; props: JsonObject | null } | null;
}

/** Changes the resource. Enabled deployments that refer to it are reinstalled once the change has been applied. */
export const updateResource =
  (deps: ResourcesDeps) =>
  (id: string, changes: DeploymentResourceChanges, context: Context): Promise<DeploymentResource> =>
    updateRow(deps.inTransaction, context, deploymentResources, {
      lock: async (store): Promise<Locked | null> => {
        // Check visibility first: a caller who may not see the row must not lock it.
        const visible = visibleEnvs(context.identity);
        const resource = (await store.resources.find(id, visible)) && (await store.resources.lock(id));
        if (!resource) return null;
        const type = found(await store.resourceTypes.find(resource.type_id, 'all'), 'deployment resource type');
        return { ...resource, governed: await governing(store, type, resource.deployment_id), wanted: null };
      },
      scope: ({ governed, ...place }) => lifecycleScope(governed, 'update', place),
      publicRow: publicResource,
      wanted: (before) => wantedOf(deps, before, changes),
      update: async (store, wanted, before) => {
        const after = await update(deps, store, { wanted, before, changes, context });
        if (after.tasks > 0) store.afterCommit(deps.notifyRunners);
        return { ...wanted, ...after.row };
      },
      audited: auditedResource('update'),
      answer: async (_row, { resources }) => found(await resources.find(id, 'all'), 'deployment resource'),
    });

/** The same row if nothing changes. After a failure, the same request tries again. */
function wantedOf({ secretKeys }: ResourcesDeps, before: Locked, { name, props }: DeploymentResourceChanges): Locked {
  if (name === undefined && props === undefined) return before;
  if (props !== undefined && !isJsonObject(props)) {
    throw unfit('body.props', 'must be a JSON object: the values of the inputs');
  }
  const { inputs } = before.governed.spec.values_ui;
  const stored = props === undefined ? null : storedProps(secretKeys, before);
  const wanted = {
    name: name ?? before.name,
    props: props === undefined || stored === null ? null : mergedProps(stored, props, inputs),
  };
  const isSame = wanted.name === before.name && (wanted.props === null || sameJson(wanted.props, stored ?? {}));
  return isSame && before.is_live && before.sync_status !== 'Error' ? before : { ...before, wanted };
}

/** The stored props. Sealed ones that cannot be opened are left out, so that they can still be replaced. */
function storedProps(keys: ResourcesDeps['secretKeys'], before: ResourceRecord): JsonObject {
  try {
    return { ...before.props, ...openProps(keys, before) };
  } catch (error) {
    if (keys.wrappingKey(before.key_id ?? '') === undefined) throw error;
    return before.props;
  }
}

interface Update {
  wanted: Locked;
  before: Locked;
  changes: DeploymentResourceChanges;
  context: Context;
}

async function update(
  deps: ResourcesDeps,
  store: WritingStore,
  { wanted: { governed, wanted }, before, context }: Update,
): Promise<{ row: ResourceRecord; tasks: number }> {
  const { spec } = governed;
  const byManager = isManager(context.identity, before.deployment_id);
  if (!before.is_live) throw conflict('The resource was deleted');
  if (before.deployment_id === null) {
    throw conflict('The deployment that managed the resource was deleted: it can be deleted only');
  }
  if (!byManager && spec.lifecycle.update === undefined) {
    throw conflict(`Only the deployment that manages ${spec.name_plural} changes them`);
  }
  const sync = afterEvent(syncOf(before), byManager ? 'update announced' : 'update requested', governed.callable);
  if (!sync || !wanted) throw conflict('The resource is being deleted');

  const sealed =
    wanted.props === null ? {} : await checkedProps(deps, store, { governed, before, props: wanted.props });
  const saved = await store.resourceChanges.saveChange({
    ...withSync(before, sync),
    ...sealed,
    name: wanted.name,
    sync_reason: null,
    origin: originOf(context),
  });
  const isForThem = isForDependents(byManager ? 'update announced' : 'update requested', sync);
  return { row: saved, tasks: isForThem ? await reinstallDependents(store, saved, governed.type.key) : 0 };
}

async function checkedProps(
  { heldReaders, secretKeys }: ResourcesDeps,
  store: WritingStore,
  { governed: { spec }, before, props }: { governed: Governing; before: ResourceRecord; props: JsonObject },
) {
  if (jsonBytes(props) > maxPropsBytes) {
    throw unfit('body.props', `must take at most ${maxPropsBytes} bytes as JSON together with those that stay`);
  }
  const wanted = { form: spec.values_ui, config: props, envId: before.env_id, at: 'body.props' };
  await checkConfig(heldReaders(store), wanted);
  const sensitive = [...new Set([...sensitiveInputs(spec), ...before.sensitive])];
  // Keep the ciphertext of equal contents, so that an update without a change leaves the row equal.
  const hidden = Object.fromEntries(Object.entries(props).filter(([input]) => sensitive.includes(input)));
  if (before.sealed_props !== null && sameJson(hidden, openedOrNull(secretKeys, before))) {
    const shown = Object.entries(props).filter(([input]) => !sensitive.includes(input));
    return { props: Object.fromEntries(shown) };
  }
  const sealed = sealProps(secretKeys, before, props, sensitive);
  if (sealed.sealed_props !== null) await refuseWithMissingKeys(store, secretKeys);
  return sealed;
}
