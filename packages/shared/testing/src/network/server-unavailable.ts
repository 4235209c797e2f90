/** A server that tests need is missing or does not start: a problem of the machine, not of the tested code. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
}
