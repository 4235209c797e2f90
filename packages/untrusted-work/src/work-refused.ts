/**
 * `too large`: more memory, or a larger answer, than is allowed. `too slow`: more processor time than is allowed. `busy`: says nothing
 * about the data, so another attempt may succeed: too many jobs wait, the machine is too busy, or the process was killed.
 */
export type WorkRefusal = 'too large' | 'too slow' | 'busy';

/** The data cannot be processed within the limits. */
export class WorkRefused extends Error {
  override readonly name = 'WorkRefused';
  readonly refusal: WorkRefusal;

  constructor(refusal: WorkRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
