/** A source of clusters cannot be read; an operator can correct it. The message is logged, so it never quotes what was read. */
export class SourceUnreadable extends Error {
  override readonly name = 'SourceUnreadable';
}
