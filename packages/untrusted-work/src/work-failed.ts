/** The work ended without a verdict on its data: a bug in the job, or its processes were stopped. */
export class WorkFailed extends Error {
  override readonly name = 'WorkFailed';

  constructor(reason: string) {
    super(`work on untrusted data failed: ${reason}`);
  }
}
