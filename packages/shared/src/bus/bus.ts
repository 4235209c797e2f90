import type { Logger } from 'pino';
import type { Identity } from '../access/identity.ts';
import type { Rule } from '../access/rules.ts';
import type {
  CallerName,
  Operation,
  OperationSpec,
  RequestInput,
  RequestOutput,
  Resource,
  ResponseInput,
  ResponseOutput,
  ScopeOf,
  ServiceName,
} from '../contracts/contract.ts';
import type { HintName } from '../contracts/hints.ts';
import type { StateFollower } from './state/follow-state.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { StatePublisher } from './state/publish-state.ts';

/** What a call carries besides the request. Everything is optional for a service that acts on its own behalf. */
export interface CallOptions {
  /** The signed identity that auth issued for this request; passed on untouched. */
  identityToken?: string | undefined;
  requestId?: string | undefined;
  /** Remaining time in ms; 2,000 between services unless given. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The caller's `If-Match`, checked by the owner next to the row. */
  ifMatch?: string | undefined;
  /** The caller's `Idempotency-Key`, for creations. */
  idempotencyKey?: string | undefined;
}

/** A creation whose answer is remembered, so that the same request again does not create again. */
export interface Repeatable<Answer> {
  readonly key: string;
  readonly identity: Identity;
  /** Such as `envs.create`: the same key for something else is another request. */
  readonly operation: string;
  /** As it was checked. */
  readonly request: unknown;
  /** Takes what was answered before. It needs no `permit`: the same request by the same identity had it. */
  answerAgain(answer: unknown): Answer;
}

export interface HandlerContext<S extends OperationSpec = OperationSpec> {
  /** Verified. Operations that `anyone` or `ourServices` may run have it only where the caller passed one on. */
  readonly identity: S['allow'] extends Rule ? Identity : Identity | undefined;
  /** The token itself, to pass on in calls made for this request. */
  readonly identityToken: string | undefined;
  readonly caller: CallerName;
  readonly requestId: string;
  readonly log: Logger;
  /** Aborts at the deadline of the call. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; what is passed on to further calls and to `statement_timeout`. */
  remainingMs(): number;
  /** Shows the row to the operation's rule and hands it back, or throws `forbidden`. A second rule may be checked the same way. */
  permit<Row extends ScopeOf<S>>(row: Row): Row;
  permit<Scope, Row extends Scope>(row: Row, rule: Rule<Scope>): Row;
  /**
   * Throws `stale` when the caller's `If-Match` does not fit the row (412). An answer of a change by id that never called
   * it is not sent, with or without that header.
   */
  checkIfMatch(row: object): void;
  /**
   * For `once` in the transaction of a creation; undefined where the caller sent no `Idempotency-Key`. An answer of a
   * creation that never asked is not sent.
   */
  repeatable(): Repeatable<ResponseInput<S>> | undefined;
}

export type Handler<S extends OperationSpec> = (
  request: RequestOutput<S>,
  context: HandlerContext<S>,
) => Promise<ResponseInput<S>>;

/** A handler for every operation that is not outstanding; a forgotten one does not compile. */
export type Handlers<Ops extends Record<string, OperationSpec>> = {
  [K in keyof Ops as Ops[K] extends { readonly outstanding: true } ? never : K]: Handler<Ops[K]>;
};

export interface ServedResource {
  readonly resource: Resource;
  readonly handlers: Record<string, Handler<OperationSpec>>;
}

/** A fact that may be lost: it only makes somebody look sooner. */
export interface Hints {
  send(name: HintName, key: string): void;
  /** Calls `onHint(key)` until the signal aborts; never throws out of it. */
  listen(name: HintName, onHint: (key: string) => void, options: { key?: string; signal: AbortSignal }): void;
}

export interface Bus {
  readonly caller: CallerName;
  /** Answers the operations of a resource from now on. */
  serve(served: ServedResource): void;
  /** Resolves when the server knows of everything this bus listens to; from then on requests find it. */
  listening(): Promise<void>;
  /** Asks the owner of an operation. Throws `AppError`: the owner's own, or `unavailable` / `timeout`. */
  call<S extends OperationSpec>(
    operation: Operation<S>,
    request: RequestInput<S>,
    options?: CallOptions,
  ): Promise<ResponseOutput<S>>;
  readonly hints: Hints;
  readonly state: StatePublisher & StateFollower;
  readonly objects: ObjectStore;
  /**
   * False where only a new process helps: the connection is closed for good, or claims to be up but no longer hears
   * its own voice. A server that is away does not count; it will be back.
   */
  isAlive(): boolean;
  /** Up right now; for readiness. */
  isConnected(): boolean;
  /** Aborts, with an error as its reason, when NATS refuses to let it listen or the connection is closed for good. */
  readonly failure: AbortSignal;
  /** Whether any replica of a service answers its `$SRV.PING` within `deadlineMs` (500 unless given). */
  isAnswering(service: ServiceName, deadlineMs?: number): Promise<boolean>;
  /** Stops taking requests, finishes those under way, closes. */
  [Symbol.asyncDispose](): Promise<void>;
}
