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
import type { QueuedTasks } from '@berth/contracts/definition/queued-tasks';
import type { Recorded } from '@berth/contracts/definition/recorded';

/** A creation whose answer is remembered, so that a repeat of the request creates nothing. */
export interface Repeatable<Answer> {
  readonly key: string;
  readonly identity: Identity;
  /** Such as `envs.create`: with another operation, the same key means another request. */
  readonly operation: string;
  /** After validation. */
  readonly request: unknown;
  /** Returns the remembered answer. It needs no `permit`: the first request of the same identity had it. */
  answerAgain(answer: unknown, queued: QueuedTasks | null): Answer;
  /** The tasks that the request has queued so far, for its repeats. */
  queued(): QueuedTasks | null;
}

export interface HandlerContext<S extends OperationSpec = OperationSpec> {
  /** Verified. Operations open to `anyone` or `ourServices` have one only if the caller passed it on. */
  readonly identity: S['allow'] extends Rule ? Identity : Identity | undefined;
  /** The token itself, to pass on in calls made for this request. */
  readonly identityToken: string | undefined;
  readonly caller: CallerName;
  readonly requestId: string;
  /** The network from which the request came, as the gateway sees it; null if unknown. */
  readonly network: string | null;
  readonly log: Logger;
  /** Aborts at the deadline of the call. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline, for further calls and `statement_timeout`. */
  remainingMs(): number;
  /**
   * Checks the operation's rule and its stricter parts, or another rule, against the row; returns the row or throws `forbidden`.
   */
  permit<Row extends ScopeOf<S>>(row: Row): Row;
  permit<Scope, Row extends Scope>(row: Row, rule: Rule<Scope>): Row;
  /**
   * Throws `stale` (412) if the caller's `If-Match` does not match the row. A handler that changes a row by id must call it, with
   * or without that header; otherwise its answer is not sent.
   */
  checkIfMatch(row: object): void;
  /**
   * For `once` in the transaction of a creation; undefined if the caller sent no `Idempotency-Key`. Creations must call it;
   * otherwise their answer is not sent.
   */
  repeatable(): Repeatable<ResponseInput<S>> | undefined;
  /**
   * For `createRow` and its siblings, before they commit: throws if the handler forgot a check, or if the recorded changes differ
   * from the contract. Operations that change rows must call it; otherwise their answer is not sent.
   */
  checkChange(recorded: Recorded | 'nothing'): void;
  /** Names tasks that another service queued for this request. Those of the own transaction are known from `checkChange`. */
  noteQueued(tasks: QueuedTasks): void;
}

export type Handler<S extends OperationSpec> = (
  request: RequestOutput<S>,
  context: HandlerContext<S>,
) => Promise<ResponseInput<S>>;

/** A handler for every operation; leaving one out is a type error. */
export type Handlers<Ops extends Record<string, OperationSpec>> = { [K in keyof Ops]: Handler<Ops[K]> };

export interface ServedResource {
  readonly resource: Resource;
  readonly handlers: Record<string, Handler<OperationSpec>>;
}
