import type { QueuedTasks } from '@berth/contracts/definition/queued-tasks';
import { AppError, Bug, type FieldError, isErrorCode } from '@berth/contracts/errors';

/** An owner's answer: one of two shapes, discriminated by `ok`. */
export type WireAnswer =
  | { ok: true; etag?: string; value: unknown }
  | {
      ok: false;
      error: {
        code: string;
        detail: string;
        errors?: FieldError[] | undefined;
        retry_after_seconds?: number | undefined;
      };
    };

/** An answer that is forwarded exactly as its owner wrote it. */
export interface AnswerBytes {
  /** JSON. */
  readonly json: Uint8Array;
  /** The strong `ETag` if the answer is a row, else null. */
  readonly etag: string | null;
}

export interface ForwardedAnswer extends AnswerBytes {
  /** The tasks that the request queued; null without any. */
  readonly queued: QueuedTasks | null;
}

// Forwarded answers are not parsed: only the tag in the envelope around the value varies. Otherwise the gateway would parse each
// answer, compute its `ETag` and write it again.
const beforeValue = '{"ok":true,"value":';
const beforeTag = '{"ok":true,"etag":"';
const afterTag = '","value":';
const isTag = /^[\w-]{1,64}$/;
const longestHead = beforeTag.length + 64 + afterTag.length;

/** `etag` as in the header, with its quotes. */
export const answerOf = (json: string, etag: string | null): Buffer =>
  Buffer.from(etag === null ? `${beforeValue}${json}}` : `${beforeTag}${etag.slice(1, -1)}${afterTag}${json}}`);

export function refusalOf({ code, message, errors, retryAfterSeconds }: AppError): string {
  const error = { code, detail: message, errors, retry_after_seconds: retryAfterSeconds };
  return JSON.stringify({ ok: false, error } satisfies WireAnswer);
}

/** The value of an answer, or the owner's error. */
export const valueOf = (data: Uint8Array, subject: string): unknown => valueIn(decode(data, subject), subject);

/** The bytes of the value, without parsing it. */
export function bytesOf(data: Uint8Array, subject: string): AnswerBytes {
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, longestHead)).toString('latin1');
  const valueFrom = (start: number) => data.subarray(start, -1);
  if (head.startsWith(beforeValue)) return { json: valueFrom(beforeValue.length), etag: null };

  const tag = head.slice(beforeTag.length, head.indexOf(afterTag));
  if (head.startsWith(beforeTag) && isTag.test(tag)) {
    return { json: valueFrom(beforeTag.length + tag.length + afterTag.length), etag: `"${tag}"` };
  }
  const value = valueIn(decode(data, subject), subject);
  return { json: Buffer.from(JSON.stringify(value)), etag: null };
}

function decode(data: Uint8Array, subject: string): WireAnswer {
  try {
    return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString());
  } catch (error) {
    throw new Bug(`${subject} sent an answer that is not JSON`, { cause: error });
  }
}

function valueIn(answer: WireAnswer, subject: string): unknown {
  if (answer.ok) return answer.value;
  const { code, detail, errors, retry_after_seconds: retryAfterSeconds } = answer.error;
  if (!isErrorCode(code)) throw new Bug(`${subject} answered the unknown error code ${code}`);
  throw new AppError(code, detail, { ...(errors && { errors }), retryAfterSeconds });
}
