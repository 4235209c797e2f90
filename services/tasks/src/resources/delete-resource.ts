import { visibleEnvs } from '@berth/contracts/access/visible-envs';
import type { HandlerContext } from '@berth/bus/rpc/handler';
import { deploymentResources } from '@berth/contracts/resources/deployments/deployment-resources';
import { updateRow } from '@berth/db/changes/update-row';
import { found } from '@berth/contracts/errors';
import { conflict } from '../errors/refuse.ts';
import { originOf } from '../records/origin-of.ts';
import { publicResource, type ResourceRecord } from '../records/resource-record.ts';
import type { WritingStore } from '../store/store.ts';
import { auditedResource } from './audited-resource.ts';
import { type Governing, governing, isManager, lifecycleScope } from './lifecycle-scope.ts';
import type { ResourcesDeps } from './resources-deps.ts';
import { afterEvent, type SyncEvent } from './sync/sync.ts';
import { syncOf, withSync } from './sync/sync-of.ts';

type Context = HandlerContext<typeof deploymentResources.operations.delete>;

interface Locked extends ResourceRecord {
  governed: Governing;
}

/** Requests the deletion. The row and its name remain until the managing deployment has deleted the real object. */
export const deleteResource =
  ({ inTransaction }: Pick<ResourcesDeps, 'inTransaction'>) =>
  async (id: string, context: Context): Promise<null> => {
    await updateRow(inTransaction, context, deploymentResources, {
      lock: async (store): Promise<Locked | null> => {
        const visible = visibleEnvs(context.identity);
        const resource = (await store.resources.find(id, visible)) && (await store.resources.lockToDelete(id));
        if (!resource) return null;
        const type = found(await store.resourceTypes.find(resource.type_id, 'all'), 'deployment resource type');
        return { ...resource, governed: await governing(store, type, resource.deployment_id) };
      },
      scope: ({ governed, ...place }) => lifecycleScope(governed, 'delete', place),
      publicRow: publicResource,
      // A repeated request: the deletion is already under way.
      wanted: (before) => ({ ...before, sync_status: 'Deleting' as const }),
      update: async (store, _wanted, before) => ({ ...before, ...(await remove(store, before, context)) }),
      audited: auditedResource('delete'),
    });
    return null;
  };

async function remove(store: WritingStore, before: Locked, context: Context): Promise<ResourceRecord> {
  const { spec, type, callable } = before.governed;
  if (!before.is_live) throw conflict('The resource was deleted already');
  const byManager = isManager(context.identity, before.deployment_id);
  if (!byManager && before.deployment_id !== null && spec.lifecycle.delete === undefined) {
    throw conflict(`Only the deployment that manages ${spec.name_plural} deletes them`);
  }
  await refuseWhileUsed(store, before, type.key);

  // Without a managing deployment, a call is impossible.
  const event: SyncEvent = byManager || before.deployment_id === null ? 'deletion announced' : 'deletion requested';
  const sync = afterEvent(syncOf(before), event, callable);
  if (!sync) throw conflict('The resource was deleted already');
  return store.resourceChanges.saveChange({
    ...withSync(before, sync),
    sync_reason: null,
    origin: originOf(context),
  });
}

/** Call it under the resource's lock, so that a deployment that is about to refer to it waits and then finds it gone. */
async function refuseWhileUsed(
  { references }: Pick<WritingStore, 'references'>,
  { id, name }: ResourceRecord,
  key: string,
): Promise<void> {
  const dependents = await references.enabledDependentsOf('deployment_resources', id);
  if (dependents.length === 0) return;
  const names = dependents.map(({ namespace }) => namespace).join(', ');
  throw conflict(`The resource ${key}/${name} cannot be deleted while enabled deployments use it: ${names}`);
}
