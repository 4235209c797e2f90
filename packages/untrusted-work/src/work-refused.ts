/** `too large`: needs more memory, or answers with more, than is allowed. `too slow`: not done in time. `busy`: too much waits. */
export type WorkRefusal = 'too large' | 'too slow' | 'busy';

/** The data cannot be worked on within the limits. Anything else that `run` throws is a bug in the job. */
export class WorkRefused extends Error {
  override readonly name = 'WorkRefused';
  readonly refusal: WorkRefusal;

  constructor(refusal: WorkRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
