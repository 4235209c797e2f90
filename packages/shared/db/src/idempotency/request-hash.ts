import { createHmac } from 'node:crypto';

/** The same for equal requests, in any order of fields; without the key it reveals nothing. */
export const requestHash = (hashKey: string | Uint8Array, request: unknown): Buffer =>
  createHmac('sha256', hashKey).update(JSON.stringify(request, inOrder)).digest();

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
