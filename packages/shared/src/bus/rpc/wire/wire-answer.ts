import { AppError, type FieldError, isErrorCode } from '../../../errors.ts';

/** An owner's answer: one of two shapes, discriminated by `ok`. */
export type WireAnswer =
  | { ok: true; value: unknown }
  | {
      ok: false;
      error: {
        code: string;
        detail: string;
        errors?: FieldError[] | undefined;
        retry_after_seconds?: number | undefined;
      };
    };

export const answerOf = (value: unknown): string => `{"ok":true,"value":${JSON.stringify(value ?? null)}}`;

export function refusalOf({ code, message, errors, retryAfterSeconds }: AppError): string {
  const error = { code, detail: message, errors, retry_after_seconds: retryAfterSeconds };
  return JSON.stringify({ ok: false, error } satisfies WireAnswer);
}

/** The value of an answer, or the owner's error. */
export function valueOf(answer: WireAnswer, subject: string): unknown {
  if (answer.ok) return answer.value;
  const { code, detail, errors, retry_after_seconds: retryAfterSeconds } = answer.error;
  if (!isErrorCode(code)) throw new Error(`${subject} answered the unknown error code ${code}`);
  throw new AppError(code, detail, { ...(errors && { errors }), retryAfterSeconds });
}
