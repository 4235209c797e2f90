import { AppError } from '@berth/contracts/errors';
import type { InTransaction, ReadingStore, WritingStore } from '../store/store.ts';
import { referencesOfRun } from './begin-run.ts';

export interface ReadOlderRunsDeps {
  store: Pick<ReadingStore, 'installed'>;
  inTransaction: InTransaction;
}

const batch = 200;

/**
 * Completes what the version before does not record: the runs of deployments that its replicas install or remove during an upgrade,
 * and the references of runs that are older than these records.
 */
export const readOlderRuns =
  ({ store, inTransaction }: ReadOlderRunsDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const { id } of await store.installed.outdated(batch)) {
      if (signal.aborted) return;
      await inTransaction((tx) => updateRuns(tx, id));
    }
    for (let read = batch; read === batch && !signal.aborted; ) {
      const unread = await store.installed.unread(batch);
      for (const one of unread) await inTransaction((tx) => readReferences(tx, one));
      read = unread.length;
    }
  };

/** The deployment was locked after it was listed, so a task may have changed it since. */
async function updateRuns(store: WritingStore, id: string): Promise<void> {
  const deployment = await store.deployments.hold(id);
  if (!deployment) return;
  const { installed_cluster_id, revision_id } = deployment;
  if (installed_cluster_id === null) return store.installedChanges.leave(id, { only: null });
  const run = await store.tasks.deployRunOf(revision_id);
  if (revision_id === null || !run) return;
  const references = await referencesOfRun(store, run);
  await store
    .savepoint((inner) => inner.installedChanges.begin(id, { task_id: revision_id, run, references }))
    .catch((error: unknown) => {
      // Another deployment got its hostname meanwhile, as the version before allows.
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    });
}

async function readReferences(
  store: WritingStore,
  { deployment_id, task_id }: { deployment_id: string; task_id: string },
): Promise<void> {
  if (!(await store.deployments.hold(deployment_id))) return;
  const run = await store.tasks.deployRunOf(task_id);
  await store.installedChanges.saveReferences(deployment_id, task_id, run ? await referencesOfRun(store, run) : []);
}
