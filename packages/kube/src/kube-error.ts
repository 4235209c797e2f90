import { cutText } from '@berth/contracts/cut-text';
import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { z } from 'zod';

const Status = z.object({ reason: z.string().max(200).optional(), message: z.string().optional() });

/** An API server's answer that is not a success. */
export class KubeError extends Error {
  readonly status: number;
  /** The machine-readable reason, such as `Expired` or `AlreadyExists`; empty if the body was not a Status. */
  readonly reason: string;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | null;

  constructor({ status, body, retryAfter }: { status: number; body: string; retryAfter?: string | undefined }) {
    const { reason = '', message = '' } = Status.safeParse(parsedBoundedJson(body)).data ?? {};
    super(`the API server answered ${status}${reason && ` ${reason}`}${message && `: ${cutText(message, 500)}`}`);
    this.name = 'KubeError';
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfter !== undefined && /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
  }
}

/** There is no credential to send. Users see the message, so it quotes nothing from files or programs. */
export class NoCredential extends Error {
  override readonly name = 'NoCredential';
}

/** The response exceeds the limit; a list may succeed with a shorter page. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  /** The limit in bytes. */
  readonly most: number;

  constructor(most: number, words = `the API server's answer is larger than ${most} bytes`) {
    super(words);
    this.most = most;
  }
}

/** The server no longer has the resource version to resume from (as an HTTP status or within a watch): list again. */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');

/** Resolves to the answer, or to null if the server answers 404. */
export const nullIfMissing = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 404) return null;
    throw error;
  });

/** Resolves to the answer, or to null if an object of that name exists. */
export const nullIfExists = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return null;
    throw error;
  });

/** Resolves to the answer, or to null if the object is no longer the one that was read: the server answers 409. */
export const nullIfChanged = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 409) return null;
    throw error;
  });

/** The namespace of the request does not exist, or is being deleted: the server then refuses creations with 403. */
export const isNamespaceGone = (error: unknown): boolean =>
  error instanceof KubeError && /because it is being terminated|namespaces? "[^"]*" not found/.test(error.message);
