import { errors } from 'undici';

export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'ECONNRESET';

  constructor(cause?: unknown) {
    super('the connection was lost', { cause });
  }
}

/** undici has its own error codes for a connection that ended during a request. */
export const orConnectionLost = (error: unknown): unknown =>
  error instanceof errors.SocketError ||
  error instanceof errors.InformationalError ||
  error instanceof errors.ResponseContentLengthMismatchError
    ? new ConnectionLost(error)
    : error;

/** A streamed body. Leaving the loop over it ends the request. */
export async function* wholeBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw orConnectionLost(error);
  }
}
