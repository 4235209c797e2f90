import { vi } from 'vitest';
import { patienceMs } from './patience.ts';

/**
 * Vitest has a setting for the timeout of `expect.poll`, but not for `vi.waitFor` and `vi.waitUntil`, which give up after 1 s.
 */
type Wait = typeof vi.waitFor;
type Options = Exclude<Parameters<Wait>[1], number | undefined>;

const patiently = (options: Options | number = {}): Options =>
  typeof options === 'number' ? { timeout: options } : { timeout: patienceMs, ...options };

// Files share a process, and so they share `vi`.
const done = Symbol.for('berth.waits-patiently');
if (!(done in vi)) {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options) => waitFor(callback, patiently(options));
  vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));
  Object.defineProperty(vi, done, { value: true });
}
