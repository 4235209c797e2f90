/** A server of the local stack does not start, ended by itself or refused a request. The message names the server and why. */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
}
