import type { Outcome } from './exit-codes.ts';

/** A failure that the command line itself found; its message is for the user. */
export class CliFailure extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'CliFailure';
    this.outcome = outcome;
  }
}
