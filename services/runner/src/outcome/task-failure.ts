import type { TaskOutcome } from '@berth/contracts/resources/tasks/runner-tasks';

/**
 * `permanent`: it would fail again. `transient`: another attempt may succeed. `unreachable`: something the task depends on does
 * not answer. `forbidden`: the cluster refuses a right to the runner's account.
 */
export type FailureKind = 'permanent' | 'transient' | 'unreachable' | 'forbidden';

const outcomes = {
  permanent: 'Failed',
  transient: 'Retry',
  unreachable: 'Unreachable',
  forbidden: 'Forbidden',
} as const satisfies Record<FailureKind, TaskOutcome>;

/** Why a task failed, in a sentence for the user. */
export class TaskFailure extends Error {
  readonly kind: FailureKind;
  /** The words that the log of the task still lacks; null if it has all of them. */
  readonly toLog: string | null;

  constructor(
    reason: string,
    { kind, cause, toLog = reason }: { kind: FailureKind; cause?: unknown; toLog?: string | null },
  ) {
    super(reason, cause === undefined ? {} : { cause });
    this.name = 'TaskFailure';
    this.kind = kind;
    this.toLog = toLog;
  }

  get outcome(): TaskOutcome {
    return outcomes[this.kind];
  }
}

export const permanent = (reason: string, cause?: unknown) => new TaskFailure(reason, { kind: 'permanent', cause });
export const transient = (reason: string, cause?: unknown) => new TaskFailure(reason, { kind: 'transient', cause });
export const unreachable = (reason: string, cause?: unknown) => new TaskFailure(reason, { kind: 'unreachable', cause });
export const forbidden = (reason: string, cause?: unknown) => new TaskFailure(reason, { kind: 'forbidden', cause });

/** Somebody else manages what the task needs; it would fail again until they give it up. */
export class ManagedElsewhere extends TaskFailure {
  constructor(reason: string) {
    super(reason, { kind: 'permanent' });
    this.name = 'ManagedElsewhere';
  }
}

/** The cluster rejects the credential: withdrawn, or expired. The run may continue with a new one. */
export class AccessRefused extends TaskFailure {
  constructor(reason: string, cause?: unknown) {
    super(reason, { kind: 'unreachable', cause });
    this.name = 'AccessRefused';
  }
}
