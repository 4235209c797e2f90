import { JsonTooLarge, parseBoundedJson } from '@berth/contracts/fields/bounded-json';
import type { JsonSize } from '@berth/contracts/fields/json-size';
import { AnswerTooLarge } from './kube-error.ts';

export interface AnswerLimit extends JsonSize {
  readonly bytes: number;
}

const kib = 1024;
const mib = 1024 * kib;
/** Schemas of custom resources reach 40. */
const depth = 128;

/**
 * Limits of an answer, by kind of request. API servers are trusted as little as their workloads: these limits bound the cost
 * of a call, whatever the answer is. 100,000 members take up to 50 ms to parse. etcd accepts objects of 1.5 MiB, which
 * escaping can make longer; such an object is refused.
 */
export const answerLimits = {
  /** One object of any kind. */
  object: { bytes: 3 * mib, members: 100_000, depth },
  namespace: { bytes: mib, members: 10_000, depth },
  secret: { bytes: 3 * mib, members: 20_000, depth },
  token: { bytes: 64 * kib, members: 1_000, depth },
  /** The kinds of an API group. */
  discovery: { bytes: mib, members: 50_000, depth },
  /** A list that is parsed as a whole: a few objects, or metadata only. */
  list: { bytes: 3 * mib, members: 100_000, depth },
  /** A page that is split into items before it is parsed: each item is an `object`, and the rest is the `head`. */
  page: { bytes: 16 * mib, members: 1_000_000, depth },
  /** A page that a caller waits for; many are read at once. */
  live_page: { bytes: 2 * mib, members: 200_000, depth },
  head: { bytes: 64 * kib, members: 1_000, depth },
  /** A text that is not JSON. */
  text: { bytes: 64 * kib, members: 0, depth: 0 },
  error: { bytes: 64 * kib, members: 1_000, depth },
} as const satisfies Record<string, AnswerLimit>;
export type AnswerKind = keyof typeof answerLimits;

/** Parses an answer, or a part of one. Throws `AnswerTooLarge`, or a `SyntaxError`. */
export function parseAnswer(json: Uint8Array | string, kind: AnswerKind): unknown {
  try {
    return parseBoundedJson(json, answerLimits[kind]);
  } catch (error) {
    if (!(error instanceof JsonTooLarge)) throw error;
    throw new AnswerTooLarge(answerLimits[kind].bytes, `the API server's answer is too large: ${error.message}`);
  }
}
