/** A list of a cluster exceeds a limit of this service. */
export class ListTooLarge extends Error {
  override readonly name = 'ListTooLarge';
}
