import type { JsonValue } from '../fields/json.ts';
import recorded from './examples.json' with { type: 'json' };

/** The request and the answer of an operation. */
export type Examples = Record<string, { body?: JsonValue; answer?: JsonValue }>;

/** By operation; recorded from a running platform by `npm run generate`. */
export const examples: Examples = recorded;
