import type { Logger } from 'pino';
import type { Identity } from '../../access/identity.ts';
import type { Rule } from '../../access/rules.ts';
import type { CallerName, Operation, Resource } from '../../contracts/contract.ts';
import { AppError } from '../../errors.ts';
import type { HandlerContext, Repeatable } from '../bus.ts';
import { etagOf, fitsIfMatch } from './etag.ts';

export interface CallInfo {
  resource: Resource;
  operation: Operation;
  caller: CallerName;
  identity: Identity | undefined;
  identityToken: string | undefined;
  requestId: string;
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

/** What a handler gets beside the request. Logger and signal are created on first use: most calls need neither. */
export class CallContext implements HandlerContext {
  readonly #call: CallInfo;
  #permitted = false;
  #checkedForRepeat = false;
  #checkedIfMatch = false;
  #log: Logger | undefined;
  #aborter: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: CallInfo) {
    this.#call = call;
  }

  get identity(): Identity {
    // Typed per operation: those that need an identity are never handled without one.
    return this.#call.identity as Identity;
  }

  get identityToken(): string | undefined {
    return this.#call.identityToken;
  }

  get caller(): CallerName {
    return this.#call.caller;
  }

  get requestId(): string {
    return this.#call.requestId;
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

  /** Whether the rule of the operation was checked against a row. */
  get wasPermitted(): boolean {
    return this.#permitted;
  }

  /** Whether a creation looked up an earlier answer. */
  get checkedForRepeat(): boolean {
    return this.#checkedForRepeat;
  }

  /** Whether a change called `checkIfMatch`, with or without an `If-Match` of the caller. */
  get checkedForIfMatch(): boolean {
    return this.#checkedIfMatch;
  }

  // Fields, not methods: handlers destructure them.
  readonly remainingMs = (): number => Math.max(0, Math.floor(this.#call.deadline - performance.now()));

  readonly permit = <Row>(row: Row, rule?: Rule<never>): Row => {
    const { identity, operation } = this.#call;
    const checked = rule ?? (operation.allow as Rule<never>);
    if (!identity || !checked.allows(identity, row as never)) throw forbidden(checked);
    if (!rule || rule === operation.allow) this.#permitted = true;
    return row;
  };

  readonly checkIfMatch = (row: object): void => {
    this.#checkedIfMatch = true;
    const { ifMatch, resource } = this.#call;
    if (ifMatch === undefined || fitsIfMatch(ifMatch, etagOf(resource, row))) return;
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
      request,
      answerAgain: (answer) => {
        this.#permitted = true;
        // Validated like every answer before it is sent.
        return answer as never;
      },
    };
  };

  /** Ends the call: clears its timer, which would keep the process alive. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
