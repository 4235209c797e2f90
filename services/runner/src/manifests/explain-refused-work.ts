import { WorkRefused, type WorkRefusal } from '@berth/untrusted-work/work-refused';
import { permanent, transient } from '../outcome/task-failure.ts';

/** Throws the reason for the user if work on manifests exceeded a limit, otherwise the error itself. */
export function explainRefusedWork(error: unknown): never {
  throw error instanceof WorkRefused ? failures[error.refusal](error) : error;
}

const failures = {
  'too large': (cause) => permanent('The manifests of the chart are too large to be read', cause),
  'too slow': (cause) => permanent('The manifests of the chart take too long to be read', cause),
  busy: (cause) =>
    transient(
      'The manifests of the chart could not be read now, since too much work waits for the processor or memory',
      cause,
    ),
} satisfies Record<WorkRefusal, (cause: WorkRefused) => Error>;
