import type {
  CallerName,
  Operation,
  OperationSpec,
  RequestInput,
  ResponseOutput,
  ServiceName,
} from '@berth/contracts/definition/contract';
import type { Hints } from './hints/hints.ts';
import type { Identity } from '@berth/contracts/access/identity';
import type { EventReader } from './events/event-reader.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { CallOptions } from './rpc/call-options.ts';
import type { ServedResource } from './rpc/handler.ts';
import type { AnswerBytes } from './rpc/wire/wire-answer.ts';
import type { StateFollower } from './state/follow-state.ts';
import type { StatePublisher } from './state/publish-state.ts';

export interface Bus {
  readonly caller: CallerName;
  /** Names this process on the bus; new at each start. */
  readonly instance: string;
  /** Answers the operations of a resource from now on. */
  serve(served: ServedResource): void;
  /** Resolves when the server has registered all subscriptions of this bus; from then on requests reach it. */
  listening(): Promise<void>;
  /** Calls the owner of an operation. Throws `AppError`: the owner's own, or `unavailable` / `timeout`. */
  call<S extends OperationSpec>(
    operation: Operation<S>,
    request: RequestInput<S>,
    options?: CallOptions,
  ): Promise<ResponseOutput<S>>;
  /** The same for an answer to be forwarded: the owner's bytes, not parsed here. */
  callForBytes(operation: Operation, request: unknown, options?: CallOptions): Promise<AnswerBytes>;
  readonly hints: Hints;
  readonly state: StatePublisher & StateFollower;
  readonly objects: ObjectStore;
  readonly events: EventReader;
  /** Verifies an identity that auth issued for this part, with the keys that auth publishes. */
  identify(identityToken: string): Promise<Identity>;
  /**
   * False if only a new process helps: the connection is closed for good, or reports to be up but no longer receives
   * its own messages. An unreachable server does not count; the client reconnects.
   */
  isAlive(): boolean;
  /** For readiness. */
  isConnected(): boolean;
  /** Aborts, with an error as its reason, when NATS denies a subscription or the connection is closed for good. */
  readonly failure: AbortSignal;
  /** Whether any replica of a service answers its `$SRV.PING` within `deadlineMs` (500 unless given). */
  isAnswering(service: ServiceName, deadlineMs?: number): Promise<boolean>;
  /** Stops taking requests, finishes those in flight, closes. */
  [Symbol.asyncDispose](): Promise<void>;
}
