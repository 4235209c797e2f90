import { hash } from 'node:crypto';

/**
 * The same value as the last time, as long as the text that it is made from stays the same. What is read every few seconds
 * and seldom changes makes garbage otherwise, and OpenSSL's is freed long after it was made.
 */
export function whenChanged<Value>(): (text: string, make: () => Value) => Value {
  let last: { readonly digest: string; readonly value: Value } | undefined;
  return (text, make) => {
    // A text may hold credentials, and would be kept as long as the value.
    const digest = hash('sha256', text, 'base64url');
    if (last?.digest !== digest) last = { digest, value: make() };
    return last.value;
  };
}
