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
import type { ForwardedAnswer } from './rpc/wire/wire-answer.ts';
import type { StateFollower } from './state/follow-state.ts';
import type { StatePublisher } from './state/publish-state.ts';

export interface Bus {
  readonly caller: CallerName;
  /** Name of this process on the bus, new at each start. */
  readonly instance: string;
  /** Answers the operations of a resource from now on. */
  serve(served: ServedResource): void;
  /** Starts to answer the operations of a resource. */
  listening(): Promise<void>;
  /** Calls the owner of an operation. Throws `AppError`: the one that the owner answered, or `unavailable` or `timeout`. */
  call<S extends OperationSpec>(
    operation: Operation<S>,
    request: RequestInput<S>,
    options?: CallOptions,
  ): Promise<ResponseOutput<S>>;
  /** Calls the owner for an answer to be forwarded: returns its bytes without parsing them. */
  callForBytes(operation: Operation, request: unknown, options?: CallOptions): Promise<ForwardedAnswer>;
  readonly hints: Hints;
  readonly state: StatePublisher & StateFollower;
  readonly objects: ObjectStore;
  readonly events: EventReader;
  /** Verifies an identity that auth issued for this part, with the keys that auth publishes. */
  identify(identityToken: string): Promise<Identity>;
  /**
   * False if only a restart helps: the connection is closed for good, or no longer receives its own messages although it claims
   * to be up. An unreachable server does not count, since the client reconnects.
   */
  isAlive(): boolean;
  /** For readiness. */
  isConnected(): boolean;
  /** Aborts, with an error as its reason, when NATS denies a subscription or closes the connection for good. */
  readonly failure: AbortSignal;
  /** Whether any replica of a service answers its `$SRV.PING` within `deadlineMs` (500 unless given). */
  isAnswering(service: ServiceName, deadlineMs?: number): Promise<boolean>;
  /** Refuses new requests, finishes those in flight and closes. */
  [Symbol.asyncDispose](): Promise<void>;
}
