/** A server of the tests is not there or does not start: a matter of the machine, not of the code under test. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
}
