/**
 * A failed request to a registry. `unavailable`: a retry may succeed. `denied`: it requires other credentials.
 * `malformed`: its answer does not follow the protocol. None of them means that a chart is gone.
 */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly reason: 'unavailable' | 'denied' | 'malformed';

  constructor(reason: RegistryError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
