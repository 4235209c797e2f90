import { AppError } from '@berth/contracts/errors';

export interface StreamLimits {
  total: number;
  perIdentity: number;
}

const fullForSeconds = 10;

export type TakeSlot = (identity: string) => Disposable;

/** Limits the open streams. Each costs a socket, and calls to two services every second. */
export function createStreamSlots({ total: maxTotal, perIdentity }: StreamLimits): TakeSlot {
  const open = new Map<string, number>();
  let total = 0;

  return (identity) => {
    const own = open.get(identity) ?? 0;
    if (own >= perIdentity)
      throw new AppError('too_many_requests', `At most ${perIdentity} streams may be open at a time; end one of yours`);
    if (total >= maxTotal)
      throw new AppError(
        'unavailable',
        `This gateway already sends ${maxTotal} streams, which is its maximum; try again when others have ended`,
        { retryAfterSeconds: fullForSeconds },
      );
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
