/**
 * A server of the local stack does not start, ended unexpectedly, or refused a request. The message names the server and the
 * cause.
 */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
}
