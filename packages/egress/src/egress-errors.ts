/** Something that we do not do, whoever asks: the policy's words, never the other side's. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** The other side sent more than it may. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}
