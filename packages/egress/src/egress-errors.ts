/** The egress policy forbids the request. Its message is ours, never the remote side's. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** The remote side sent more than the limit. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}
