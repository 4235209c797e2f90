/** A check of all contracts cannot try one of them: its test has to be given the value or the list that the message names. */
export class UntestableContract extends Error {
  override readonly name = 'UntestableContract';
}
