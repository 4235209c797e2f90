/** A file that others are generated from breaks a rule. The message names the file, for its author to mend. */
export class UnusableSource extends Error {
  override readonly name = 'UnusableSource';
}
