import type { Logger } from 'pino';

export interface AdminContext {
  readonly environment: Record<string, string | undefined>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Something that operators do besides requests of the API, once, as a process of its own. */
export interface AdminCommand {
  /** One line for the list of commands. */
  readonly purpose: string;
  /** Whether all is well; where it is not, the log has said why. */
  run(context: AdminContext): Promise<boolean>;
}
