import type { Logger } from 'pino';
import type { Identity } from '@berth/contracts/access/identity';
import type { Rule } from '@berth/contracts/access/rules';
import type {
  CallerName,
  OperationSpec,
  RequestOutput,
  Resource,
  ResponseInput,
  ScopeOf,
} from '@berth/contracts/definition/contract';
import type { Recorded } from '@berth/contracts/definition/recorded';

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
  /** The network that the request came from, as the gateway knows it; null if it did not say. */
  readonly network: string | null;
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
   * For `once` in the transaction of a creation; undefined if the caller sent no `Idempotency-Key`. The answer of a
   * creation that never called it is not sent.
   */
  repeatable(): Repeatable<ResponseInput<S>> | undefined;
  /**
   * For `createRow` and its siblings, before they commit: throws if the operation forgot a check, or if recorded changes are not what
   * the contract says that it changes. The answer of a changing operation that never called it is not sent.
   */
  checkChange(recorded: Recorded | 'nothing'): void;
}

export type Handler<S extends OperationSpec> = (
  request: RequestOutput<S>,
  context: HandlerContext<S>,
) => Promise<ResponseInput<S>>;

/** A handler for every operation; a forgotten one does not compile. */
export type Handlers<Ops extends Record<string, OperationSpec>> = { [K in keyof Ops]: Handler<Ops[K]> };

export interface ServedResource {
  readonly resource: Resource;
  readonly handlers: Record<string, Handler<OperationSpec>>;
}
