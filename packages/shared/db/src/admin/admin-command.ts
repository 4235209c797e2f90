import type { Logger } from 'pino';

export interface AdminContext {
  readonly environment: Record<string, string | undefined>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A one-time task of operators that is not a request of the API; it runs in a process of its own. */
export interface AdminCommand {
  /** One line about it, for the list of commands. */
  readonly purpose: string;
  /** Whether all is well; if not, the log says why. */
  run(context: AdminContext): Promise<boolean>;
}
