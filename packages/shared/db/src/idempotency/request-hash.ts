import { createHmac } from 'node:crypto';

/** Equal for equal requests, whatever the order of their fields; reveals nothing without the key. */
export const requestHash = (hashKey: string | Uint8Array, request: unknown): Buffer =>
  createHmac('sha256', hashKey).update(JSON.stringify(request, inOrder)).digest();

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
