/** The egress policy forbids the request. Its message never quotes the remote side. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** The remote side sent more than the limit. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}
