import type { Process } from './process.ts';
import { type Steps, wait } from './scheduler.ts';
import type { Answer, Service } from './service.ts';
import type { World } from './world.ts';

export type Handler<T> = (replica: Process) => Steps<Answer<T>>;

/** Requests over a bus that loses, doubles and delays messages in both directions, which also reorders them. */
export type Call = <T>(handler: Handler<T>, withinMs?: number) => Steps<Answer<T>>;

export const createTransport =
  (world: World, service: Pick<Service, 'replica'>): Call =>
  <T>(handler: Handler<T>, withinMs = 2_000) =>
    wait<Answer<T>>((done) => {
      const { scheduler, faults } = world;
      const late = () => (world.chance(faults.messageLate) ? world.between(1_000, 40_000) : world.delay());
      const deliver = (): void => {
        const replica = service.replica();
        if (!replica) return done({ refused: 'unavailable' });
        replica.spawn(
          (function* () {
            const answer = yield* handler(replica);
            if (!world.chance(faults.messageLost)) scheduler.after(late(), () => done(answer));
          })(),
        );
      };
      scheduler.after(withinMs, () => done({ refused: 'unavailable' }));
      if (world.chance(faults.messageLost)) return;
      scheduler.after(late(), deliver);
      if (world.chance(faults.messageDoubled)) scheduler.after(late(), deliver);
    });
