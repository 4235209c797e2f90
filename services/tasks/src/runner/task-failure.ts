/** Why a task did not succeed, in a sentence for the user. `transient` ones are worth another attempt. */
export class TaskFailure extends Error {
  readonly transient: boolean;

  constructor(reason: string, { transient, cause }: { transient: boolean; cause?: unknown }) {
    super(reason, cause === undefined ? {} : { cause });
    this.name = 'TaskFailure';
    this.transient = transient;
  }
}

export const permanent = (reason: string, cause?: unknown) => new TaskFailure(reason, { transient: false, cause });
export const transient = (reason: string, cause?: unknown) => new TaskFailure(reason, { transient: true, cause });

/** The cluster does not know our credential: withdrawn, or run out. With a new one it may go on. */
export class AccessRefused extends TaskFailure {
  constructor(reason: string, cause?: unknown) {
    super(reason, { transient: true, cause });
    this.name = 'AccessRefused';
  }
}
