import { backOffMs } from '@berth/contracts/back-off';
import { taskHeaders } from '@berth/contracts/definition/queued-tasks';
import type { Answer, Problem, Success } from './answer.ts';
import { passing } from './passing.ts';
import { pause } from './pause.ts';
import { readProblem, unreachable } from './read-problem.ts';
import { textStream } from './text-stream.ts';
import { type HttpOperation, isRepeatable, type RequestParts, toHttp } from './to-http.ts';

/** A credential and the header that carries it. */
export type Credential = { token: string } | { jwt: string };

export interface Patience {
  /** How many ms a repeatable request is repeated. */
  ms: number;
  /** Called before each wait. */
  onWait?: (problem: Problem, waitMs: number) => void;
}

export interface ClientOptions {
  /** Address of the platform, without `/api/v2`. */
  baseUrl: string;
  /** Called for every request, so that a refreshed credential takes effect at once; null sends none. */
  credential?: () => Credential | null;
  fetch?: typeof fetch;
  /** Time limit for an answer, in ms; streams end only by `signal`. */
  timeoutMs?: number;
  /** Reads and creations are repeated while the platform is unreachable, busy or limits requests; by default for 5 s. */
  patience?: Patience;
  signal?: AbortSignal;
}

export interface CallOptions {
  /** `ETag` of an earlier answer; if the row has changed since, the answer is 412 `stale`. */
  ifMatch?: string;
  /** Creations get one automatically; pass one to repeat a creation across processes. */
  idempotencyKey?: string;
  /** Where to go on with a stream of events. */
  lastEventId?: string;
  signal?: AbortSignal;
  patience?: Patience;
  /** Also repeats an update or deletion; set it only if sending it twice has the same effect. */
  repeat?: boolean;
}

export type Send = (operation: HttpOperation, parts: RequestParts, options: CallOptions) => Promise<Answer<unknown>>;

/** The shortest pause, even after `Retry-After: 0`. */
const leastPauseMs = 100;
const pauses = { firstMs: 200, longestMs: 5_000 };

export function createSend(client: ClientOptions): Send {
  return async (operation, parts, call) => {
    const { ms, onWait } = call.patience ?? client.patience ?? { ms: 5_000 };
    const idempotencyKey = call.idempotencyKey ?? (operation.creates ? crypto.randomUUID() : undefined);
    const mayRepeat = call.repeat ?? isRepeatable(operation);
    const giveUpAt = performance.now() + ms;

    for (let failures = 1; ; failures += 1) {
      const answer = await sendOnce(client, operation, parts, { ...call, ...(idempotencyKey && { idempotencyKey }) });
      if (answer.ok || !mayRepeat || !passing.has(answer.problem.code)) return answer;

      const waitMs = Math.max(answer.problem.retryAfterMs ?? backOffMs(pauses, failures), leastPauseMs);
      if (performance.now() + waitMs > giveUpAt) return answer;
      onWait?.(answer.problem, waitMs);
      await pause(waitMs, signalOf(client, call));
    }
  };
}

const never = new AbortController().signal;

const signalOf = (client: ClientOptions, call: CallOptions): AbortSignal => {
  const signals = [client.signal, call.signal].filter((signal) => signal !== undefined);
  return signals.length > 0 ? AbortSignal.any(signals) : never;
};

async function sendOnce(
  client: ClientOptions,
  operation: HttpOperation,
  parts: RequestParts,
  call: CallOptions,
): Promise<Answer<unknown>> {
  const { fetch: send = fetch, timeoutMs = (operation.deadlineMs ?? 5_000) + 10_000, baseUrl } = client;
  const signal = signalOf(client, call);
  const { method, path, headers, body } = toHttp(operation, parts, call);
  const request = `${method} ${path.replace(/\?.*$/, '')}`;
  const isStream = operation.streams === true;

  let response: Response;
  try {
    response = await send(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers: { ...credentialHeaders(client.credential?.() ?? null), ...headers },
      ...(body !== undefined && { body }),
      signal: isStream ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
    });
  } catch (error) {
    // An abort by the caller is not a problem of the request.
    signal.throwIfAborted();
    return { ok: false, problem: unreachable(request, error) };
  }
  if (!response.ok) return { ok: false, problem: await readProblem(request, response) };
  return read(request, response, isStream);
}

async function read(request: string, response: Response, isStream: boolean): Promise<Answer<unknown>> {
  const success = { ok: true, etag: response.headers.get('etag'), ...queuedIn(response) } as const;
  if (isStream) return { ...success, value: textStream(response) };
  if (response.status === 204) return { ...success, value: null };
  try {
    const value: unknown = await response.json();
    return { ...success, value };
  } catch (cause) {
    const detail = 'The answer is not the JSON that this API sends';
    const requestId = response.headers.get('x-request-id');
    const { status } = response;
    return {
      ok: false,
      problem: { code: 'unintelligible', request, status, detail, errors: [], requestId, retryAfterMs: null, cause },
    };
  }
}

function queuedIn({ headers }: Response): Pick<Success<unknown>, 'taskIds' | 'taskCount'> {
  const taskIds = headers.get(taskHeaders.ids)?.split(', ') ?? [];
  return { taskIds, taskCount: Number(headers.get(taskHeaders.count) ?? taskIds.length) };
}

function credentialHeaders(credential: Credential | null): Record<string, string> {
  if (credential === null) return {};
  return 'token' in credential
    ? { 'x-service-token': credential.token }
    : { authorization: `Bearer ${credential.jwt}` };
}
