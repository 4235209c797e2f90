import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { askPatiently, type Patience } from './patience.ts';

const Problem = z.object({ status: z.number(), code: z.string(), detail: z.string() });
const ListOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), num_total: z.number() });

export interface Credential {
  /** `x-service-token` for API tokens, `authorization` for sessions. */
  readonly header: 'x-service-token' | 'authorization';
  readonly value: string;
}

/** A client of the public API, as any script would be one. */
export interface ApiClient {
  get<T extends z.ZodType>(path: string, response: T): Promise<z.output<T>>;
  list<T extends z.ZodType>(path: string, item: T): Promise<z.output<T>[]>;
  send<T extends z.ZodType>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: unknown,
    response: T,
  ): Promise<z.output<T>>;
  /** Lines of a streamed text, as they come. */
  lines(path: string): AsyncGenerator<string>;
}

export class ApiProblem extends Error {
  readonly status: number;

  constructor(request: string, status: number, detail: string) {
    super(`${request} answered ${status}: ${detail}`);
    this.name = 'ApiProblem';
    this.status = status;
  }
}

export interface ApiClientOptions {
  url: string;
  credential?: Credential;
  signal: AbortSignal;
  /** Without it the first 503 is the answer. */
  patience?: Patience | undefined;
}

export function createApiClient({ url, credential, signal, patience }: ApiClientOptions): ApiClient {
  async function request(method: string, path: string, body?: unknown): Promise<Response> {
    // The same for every try: what was made by one whose answer was refused is not made again.
    const idempotencyKey = patience && credential && method === 'POST' ? randomUUID() : undefined;
    const ask = () =>
      fetch(`${url}/api/v2${path}`, {
        method,
        signal,
        headers: {
          ...(credential && { [credential.header]: credential.value }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const response = await (patience ? askPatiently(`${method} ${path}`, ask, { ...patience, signal }) : ask());
    if (response.ok) return response;
    const problem = Problem.safeParse(await response.json().catch(() => null));
    throw new ApiProblem(`${method} ${path}`, response.status, problem.data?.detail ?? 'without words');
  }

  return {
    get: async (path, response) => response.parse(await (await request('GET', path)).json()),
    list: async (path, item) => ListOf(item).parse(await (await request('GET', path)).json()).items,
    send: async (method, path, body, response) => {
      const answer = await request(method, path, body);
      return response.parse(answer.status === 204 ? null : await answer.json());
    },
    async *lines(path) {
      const { body } = await request('GET', path);
      let rest = '';
      for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
      if (rest !== '') yield rest;
    },
  };
}
