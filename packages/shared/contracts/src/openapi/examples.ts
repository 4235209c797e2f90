import type { JsonValue } from '../fields/json.ts';
import recorded from './examples.json' with { type: 'json' };

/** What an operation was sent, and what it answered. */
export type Examples = Record<string, { body?: JsonValue; answer?: JsonValue }>;

/** By operation; requests to a platform that were written down by `npm run examples`. */
export const examples: Examples = recorded;
