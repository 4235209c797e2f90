import { serialize } from 'node:v8';

/** The jobs of a process, by name. Jobs keep nothing from one call to the next. */
// oxlint-disable-next-line typescript/no-explicit-any -- each job has an input of its own
export type Jobs = Record<string, (input: any) => unknown>;

export interface Question {
  job: string;
  input: unknown;
  /** Limit of the answer, which costs the asking process memory and time, too. */
  maxBytes: number;
}

export type Answer = { value: Uint8Array } | { largerThan: number } | { failed: string };

/** Runs the jobs that the parent process asks for. This process exits with its parent: nothing else keeps it running. */
export function answerWork(jobs: Jobs): void {
  process.on('message', (question: Question) => {
    void answerOf(jobs, question).then((answer) => process.send?.(answer));
  });
  process.send?.('ready');
}

async function answerOf(jobs: Jobs, { job, input, maxBytes }: Question): Promise<Answer> {
  try {
    const value = serialize(await jobs[job]?.(input));
    return value.length > maxBytes ? { largerThan: maxBytes } : { value };
  } catch (error) {
    if (isOutOfMemory(error)) return { largerThan: maxBytes };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** V8 could not make room for the serialized answer. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Data cannot be cloned, out of memory.';
