import type { HandlerContext } from '@berth/bus/rpc/handler';
import type { deployments } from '@berth/contracts/resources/deployments/deployments';
import type { ItemReaders } from '../collections/find-items.ts';
import type { Confirm } from '../projections/confirm.ts';
import type { ProposedChange } from './propose-change.ts';
import type { InTransaction, ReadingStore } from '../store/store.ts';

export interface DeploymentsDeps {
  store: ReadingStore;
  inTransaction: InTransaction;
  /** Confirms rows with their owners where our projections may lag. */
  confirm: Confirm;
  /** The items that inputs may point to, locked until the transaction ends. */
  heldReaders: (store: ReadingStore) => ItemReaders;
  /** Namespaces that deployments may not use. */
  reserved: readonly string[];
  /** Called after the commit, when a task became due. */
  notifyRunners: () => void;
}

/** Compares a proposed deployment with the release that it would adopt; throws if it cannot. Waits for a runner. */
export type CompareRelease = (
  proposed: ProposedChange,
  context: Pick<
    HandlerContext<typeof deployments.operations.create>,
    'identity' | 'requestId' | 'signal' | 'remainingMs'
  >,
) => Promise<unknown>;
