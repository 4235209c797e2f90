/**
 * A registry that did not do what it was asked. `unavailable`: it may well the next time. `denied`: it wants other
 * credentials. `nonsense`: it answered something that its protocol does not know. None of them says that a chart is gone.
 */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly reason: 'unavailable' | 'denied' | 'nonsense';

  constructor(reason: RegistryError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
