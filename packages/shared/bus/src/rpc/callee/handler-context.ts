import type { Logger } from 'pino';
import type { Identity } from '@berth/contracts/access/identity';
import type { Rule } from '@berth/contracts/access/rules';
import {
  type CallerName,
  changesRows,
  type Operation,
  type Resource,
  takesIfMatch,
} from '@berth/contracts/definition/contract';
import { isCreation } from '@berth/contracts/definition/idempotency-key';
import { type QueuedTasks, queuedTasks, queuesTasks } from '@berth/contracts/definition/queued-tasks';
import type { Recorded } from '@berth/contracts/definition/recorded';
import { AppError, Bug } from '@berth/contracts/errors';
import type { HandlerContext, Repeatable } from '../handler.ts';
import { etagOf, fitsIfMatch } from '../etag.ts';
import { unlikeContract } from './unlike-contract.ts';

export interface CallInfo {
  resource: Resource;
  operation: Operation;
  caller: CallerName;
  identity: Identity | undefined;
  identityToken: string | undefined;
  requestId: string;
  network: string | null;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  /** After validation. */
  request: unknown;
  /** On the clock of `performance.now()`. */
  deadline: number;
  log: Logger;
}

export const forbidden = (rule: Pick<Rule, 'says'>): AppError =>
  new AppError('forbidden', `Only ${rule.says} may do this`);

const envIdIn = (scope: unknown): string | null =>
  typeof scope === 'object' && scope !== null && 'env_id' in scope && typeof scope.env_id === 'string'
    ? scope.env_id
    : null;

/** So that repeats are still recognized after an upgrade that gives an operation its first query parameter. */
function withoutEmptyQuery(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || !('query' in request)) return request;
  const { query, ...others } = request;
  return isEmpty(query) ? others : request;
}

const isEmpty = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && Object.values(query).every((value) => value === undefined);

/** The context of a handler. Logger and signal are created on first use: most calls need neither. */
export class CallContext implements HandlerContext {
  readonly #call: CallInfo;
  #permitted = false;
  #checkedForRepeat = false;
  #checkedIfMatch = false;
  #checkedChange = false;
  #scopeEnvId: string | null = null;
  #queued: QueuedTasks | null = null;
  #log: Logger | undefined;
  #aborter: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: CallInfo) {
    this.#call = call;
  }

  get identity(): Identity {
    // Typed per operation: if it needs an identity, its handler always gets one.
    return this.#call.identity as Identity;
  }

  get identityToken(): string | undefined {
    return this.#call.identityToken;
  }

  get caller(): CallerName {
    return this.#call.caller;
  }

  /** The env of the row that was checked by a rule. */
  get scopeEnvId(): string | null {
    return this.#scopeEnvId;
  }

  /** Null if the operation queues none. */
  get queued(): QueuedTasks | null {
    return this.#queued;
  }

  get requestId(): string {
    return this.#call.requestId;
  }

  get network(): string | null {
    return this.#call.network;
  }

  get log(): Logger {
    const { log, requestId, operation } = this.#call;
    this.#log ??= log.child({ request_id: requestId, operation: `${operation.resource}.${operation.name}` });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (!this.#aborter) {
      const aborter = new AbortController();
      this.#aborter = aborter;
      const giveUp = () => aborter.abort(new AppError('timeout', 'The deadline of the request has passed'));
      const left = this.remainingMs();
      if (left <= 0) giveUp();
      else this.#timer = setTimeout(giveUp, left);
    }
    return this.#aborter.signal;
  }

  /** Throws if the handler skipped a check that the contract requires; its answer is then not sent. */
  refuseForgotten(): void {
    this.#refuseUnchecked();
    const { operation, resource } = this.#call;
    if (changesRows(operation, resource) && !this.#checkedChange) {
      throw this.#bug('changed rows without createRow(), updateRow(), removeRow() or runAction()');
    }
  }

  #refuseUnchecked(): void {
    const { operation, resource } = this.#call;
    if (operation.allow.on === 'row' && !this.#permitted)
      throw this.#bug('answered without showing its row to permit()');
    if (isCreation(operation) && !this.#checkedForRepeat) {
      throw this.#bug('created without once(): repeated, it would create again');
    }
    if (takesIfMatch(operation, resource) && !this.#checkedIfMatch) {
      throw this.#bug('changed a row without checkIfMatch()');
    }
  }

  #bug(words: string): Error {
    const { resource, name } = this.#call.operation;
    return new Bug(`${resource}.${name} ${words}`);
  }

  // Fields rather than methods, because handlers destructure them.
  readonly remainingMs = (): number => Math.max(0, Math.floor(this.#call.deadline - performance.now()));

  readonly permit = <Row>(row: Row, rule?: Rule<never>): Row => {
    const { identity, operation, request } = this.#call;
    const check = (checked: Rule<never>, scope: unknown): void => {
      this.#scopeEnvId = envIdIn(scope) ?? this.#scopeEnvId;
      if (!identity || !checked.allows(identity, scope as never)) throw forbidden(checked);
    };
    if (rule) {
      check(rule, row);
      return row;
    }
    check(operation.allow as Rule<never>, row);
    for (const part of operation.stricter ?? []) {
      const scope = part.when(row as never, request as never);
      if (scope !== null) check(part.rule, scope);
    }
    this.#permitted = true;
    return row;
  };

  readonly checkIfMatch = (row: object): void => {
    this.#checkedIfMatch = true;
    const { ifMatch, operation, resource } = this.#call;
    if (ifMatch === undefined || fitsIfMatch(ifMatch, etagOf(operation.ifMatch ?? resource, row))) return;
    throw new AppError('stale', 'It has changed since it was read; read it again');
  };

  readonly repeatable = (): Repeatable<never> | undefined => {
    this.#checkedForRepeat = true;
    const { identity, idempotencyKey: key, operation, request } = this.#call;
    if (key === undefined || !identity) return undefined;
    return {
      key,
      identity,
      operation: `${operation.resource}.${operation.name}`,
      request: withoutEmptyQuery(request),
      queued: () => this.#queued,
      answerAgain: (answer, queued) => {
        this.#queued = queued;
        this.#permitted = true;
        this.#checkedIfMatch = true;
        this.#checkedChange = true;
        // Validated like every answer before it is sent.
        return answer as never;
      },
    };
  };

  readonly checkChange = (recorded: Recorded | 'nothing'): void => {
    this.#refuseUnchecked();
    const problem = recorded === 'nothing' ? null : unlikeContract(this.#call.operation, recorded);
    if (problem !== null) throw this.#bug(problem);
    this.#checkedChange = true;
    if (recorded === 'nothing' || !queuesTasks(this.#call.operation)) return;
    // A transaction that is retried queues other tasks.
    this.#queued = queuedTasks(recorded.added('deployment_tasks'));
  };

  readonly noteQueued = (tasks: QueuedTasks): void => {
    this.#queued = tasks;
  };

  /** Ends the call: clears its timer, which would keep the process alive. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
