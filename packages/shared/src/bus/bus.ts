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
import type { Recorded } from '../db/database.ts';
import type { StateFollower } from './state/follow-state.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { StatePublisher } from './state/publish-state.ts';

/** What a call carries besides the request. All parts are optional for a service that acts on its own behalf. */
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
  /** Such as `envs.create`: the same key for another operation is another request. */
  readonly operation: string;
  /** After validation. */
  readonly request: unknown;
  /** Returns the recorded answer. It needs no `permit`: the first request by this identity had it. */
  answerAgain(answer: unknown): Answer;
}

export interface HandlerContext<S extends OperationSpec = OperationSpec> {
  /** Verified. Operations that `anyone` or `ourServices` may run have one only if the caller passed it on. */
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
  /**
   * Checks the operation's rule with its stricter parts (or another rule) against the row; returns the row or throws
   * `forbidden`.
   */
  permit<Row extends ScopeOf<S>>(row: Row): Row;
  permit<Scope, Row extends Scope>(row: Row, rule: Rule<Scope>): Row;
  /**
   * Throws `stale` (412) when the caller's `If-Match` does not match the row. A handler that changes a row by id and never
   * calls it gets no answer sent, with or without that header.
   */
  checkIfMatch(row: object): void;
  /**
   * For `once` in the transaction of a creation; undefined where the caller sent no `Idempotency-Key`. The answer of a
   * creation that never called it is not sent.
   */
  repeatable(): Repeatable<ResponseInput<S>> | undefined;
  /**
   * For `change`, before it commits: throws where the operation forgot a check, or where what was recorded is not what the
   * contract says that it changes. The answer of a changing operation that never called it is not sent.
   */
  checkChange(recorded: Recorded | 'nothing'): void;
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

/** Messages that may be lost: they only make the receiver check sooner. */
export interface Hints {
  send(name: HintName, key: string): void;
  /** Calls `onHint(key)` until the signal aborts; never throws out of it. */
  listen(name: HintName, onHint: (key: string) => void, options: { key?: string; signal: AbortSignal }): void;
}

export interface Bus {
  readonly caller: CallerName;
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
  readonly hints: Hints;
  readonly state: StatePublisher & StateFollower;
  readonly objects: ObjectStore;
  /**
   * False where only a new process helps: the connection is closed for good, or reports to be up but no longer receives
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
