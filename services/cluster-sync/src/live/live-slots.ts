import type { Identity } from '@berth/contracts/access/identity';
import { AppError } from '@berth/contracts/errors';
import { type Slots, slots } from '@berth/service/waiting/slots';
import { withinMs } from '@berth/service/waiting/within-ms';

export interface Reader {
  /** The identity that reads; null for cluster-sync itself. */
  readonly identity: Pick<Identity, 'kind' | 'id'> | null;
  /** A followed log keeps its slot while the pod writes nothing. */
  readonly follows?: boolean;
}

/** Maximum concurrent reads. More would use up the connections of the watches. */
export interface LiveLimits {
  readonly perCluster: number;
  readonly total: number;
  readonly perIdentity: number;
}

export const usualLimits: LiveLimits = { perCluster: 10, total: 60, perIdentity: 3 };

/** A read of the same identity may end meanwhile; a followed log gives up its slot after some seconds. */
const patienceMs = 2_000;
const mostWaiting = 10;
const retryAfterSeconds = 1;

export type TakeSlot = (cluster: { id: string; name: string }, reader: Reader) => Promise<Disposable>;

/**
 * Slots for reads, with a share for each identity. At its limit an identity waits for its own reads; at the limit of a
 * cluster or of all, a read is refused at once. Followed logs take half of the slots at most, as each may last.
 * Without it: one caller can use all reads, and the others get none.
 */
export function createLiveSlots({ perCluster, total, perIdentity }: LiveLimits): TakeSlot {
  const open = new Map<string, number>();
  const identities = new Map<string, { slots: Slots; reads: number }>();

  return async ({ id, name }, reader) => {
    using taken = new DisposableStack();
    if (reader.identity) taken.use(await ownSlot(`${reader.identity.kind} ${reader.identity.id}`));

    const inCluster = `logs and events of the cluster ${name}`;
    const inAll = 'logs and events of all clusters';
    taken.use(takeOne(`cluster ${id}`, perCluster, inCluster));
    taken.use(takeOne('all', total, inAll));
    if (reader.follows) {
      taken.use(takeOne(`followed in ${id}`, half(perCluster), `followed ${inCluster}`));
      taken.use(takeOne('followed', half(total), `followed ${inAll}`));
    }
    return taken.move();
  };

  function takeOne(key: string, most: number, what: string): Disposable {
    const before = open.get(key) ?? 0;
    if (before >= most) throw full(`${before} ${what} are already being read, which is the maximum`);
    open.set(key, before + 1);
    return {
      [Symbol.dispose]() {
        const left = (open.get(key) ?? 1) - 1;
        if (left > 0) open.set(key, left);
        else open.delete(key);
      },
    };
  }

  async function ownSlot(key: string): Promise<Disposable> {
    const own = identities.get(key) ?? { slots: slots(perIdentity), reads: 0 };
    identities.set(key, own);
    own.reads += 1;
    const forget = () => {
      own.reads -= 1;
      if (own.reads === 0) identities.delete(key);
    };
    try {
      if (!own.slots.take()) await waitFor(own.slots);
    } catch (error) {
      forget();
      throw error;
    }
    return {
      [Symbol.dispose]() {
        own.slots.leave();
        forget();
      },
    };
  }

  async function waitFor({ wait, length }: Slots): Promise<void> {
    const refusal = () => full(`${perIdentity} logs and events are already being read for you, which is the maximum`);
    if (length() >= mostWaiting) throw refusal();
    const { turn, giveUp } = wait();
    if (!(await withinMs(patienceMs, turn)) && giveUp()) throw refusal();
  }
}

const half = (most: number): number => Math.ceil(most / 2);

const full = (words: string) =>
  new AppError('unavailable', `${words}; try again, or follow fewer logs`, { retryAfterSeconds });
