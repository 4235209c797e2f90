import { hash } from 'node:crypto';

export interface WhenChanged<Value> {
  (text: string, make: () => Value): Value;
  /** The next call makes the value anew. */
  forget(): void;
}

/**
 * Returns the previous value while the text that it is made from stays the same. Without it, sources that are read every few
 * seconds make garbage, and that of OpenSSL is freed only much later.
 */
export function whenChanged<Value>(): WhenChanged<Value> {
  let last: { readonly digest: string; readonly value: Value } | undefined;
  const whenNew = (text: string, make: () => Value): Value => {
    // Keeps only a digest, since the text may hold credentials.
    const digest = hash('sha256', text, 'base64url');
    if (last?.digest !== digest) last = { digest, value: make() };
    return last.value;
  };
  const forget = (): void => {
    last = undefined;
  };
  return Object.assign(whenNew, { forget });
}
