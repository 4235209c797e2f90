/** A check of all contracts lacks a value or a list for one of them; the message says what to add to the test. */
export class UntestableContract extends Error {
  override readonly name = 'UntestableContract';
}
