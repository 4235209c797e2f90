import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface FollowPolledDeps {
  store: Pick<ReadingStore, 'statusPolls'>;
  inTransaction: InTransaction;
}

const mostAtOnce = 200;

/** Maintains the list of polled deployments, and clears the reported status of all others. */
export const followPolled =
  ({ store: { statusPolls }, inTransaction }: FollowPolledDeps) =>
  async (): Promise<void> => {
    await statusPolls.follow();
    for (const id of await statusPolls.reportingUnpolled(mostAtOnce)) {
      await inTransaction(async ({ deployments, deploymentChanges }) => {
        const deployment = await deployments.lock(id);
        if (!deployment?.reported_status) return;
        await deploymentChanges.saveState({ ...deployment, reported_status: null });
      });
    }
  };
