import { AppError } from '@berth/shared/errors';

export interface StreamLimits {
  inAll: number;
  perIdentity: number;
}

export type TakeSlot = (identity: string) => Disposable;

/** How many streams are open: each costs a socket and questions to two services every second. */
export function createStreamSlots({ inAll, perIdentity }: StreamLimits): TakeSlot {
  const open = new Map<string, number>();
  let total = 0;

  return (identity) => {
    const own = open.get(identity) ?? 0;
    if (own >= perIdentity) throw new AppError('too_many_requests', `At most ${perIdentity} streams at a time`);
    if (total >= inAll) throw new AppError('unavailable', 'Too many streams are open right now');
    open.set(identity, own + 1);
    total += 1;
    return {
      [Symbol.dispose]() {
        total -= 1;
        const left = (open.get(identity) ?? 1) - 1;
        if (left > 0) open.set(identity, left);
        else open.delete(identity);
      },
    };
  };
}
