import { createSecureContext } from 'node:tls';
import { gatherBytes } from '@berth/contracts/gather-bytes';
import { type Connections, openConnections } from './connections/connections.ts';
import type { IncomingAnswer } from './connections/outgoing-request.ts';
import type { SocketTarget } from './connections/open-socket.ts';
import { proxyFor } from '@berth/service/proxy/proxy-for';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { type AnswerKind, answerLimits, parseAnswer } from './answer-limits.ts';
import type { KubeAccess } from './kube-access.ts';
import { AnswerTooLarge, KubeError } from './kube-error.ts';
import { splitLines } from './split-lines.ts';

export interface KubeCall {
  readonly signal: AbortSignal;
  /** For the whole call; for a stream, until its first byte. */
  readonly deadlineMs: number;
  /** The form of the answer, such as only the metadata of objects. */
  readonly accept?: string;
  /** The kind of request, which sets the limits of the answer; `object` by default. */
  readonly answer?: AnswerKind;
  /** For a stream: called when the server has accepted it. */
  readonly onOpen?: () => void;
  /** Receives what the API server warns of. */
  readonly onWarning?: (text: string) => void;
}

interface ApplyCall extends KubeCall {
  /** Fails with 409 if another manager owns a field with another value. */
  readonly leaveOthers?: true;
  /** The server decides as if to write the object, and stores nothing. */
  readonly dryRun?: true;
  /** Refuses fields that the kind does not have. */
  readonly isStrict?: true;
}

export interface KubeApiOptions {
  /** The caller's name in the cluster's audit log. */
  readonly userAgent?: string;
  /** The current token, if it can change while the connection is open; called for every request. */
  readonly token?: (signal: AbortSignal) => Promise<string>;
  /** Called with the token of a request that the cluster answered with 401. */
  readonly onRefused?: (token: string) => void;
  /** Lowers the limits of `answer-limits.ts`. */
  readonly maxAnswerBytes?: number;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Body {
  readonly type: string;
  readonly text: string;
}

const json = 'application/json';
const contentTypes: Record<Method, string> = {
  GET: json,
  POST: json,
  PUT: json,
  PATCH: 'application/merge-patch+json',
  DELETE: json,
};

/** One cluster's API over one bounded set of connections. */
export interface KubeApi extends Disposable {
  readonly server: string;
  /** The text of a successful answer. Throws `KubeError` if it is not successful, `AnswerTooLarge` if it exceeds its limit. */
  getText(path: string, call: KubeCall): Promise<string>;
  /** The raw bytes of the answer, so that a large one can be parsed in parts and freed at once. */
  getBytes(path: string, call: KubeCall): Promise<Buffer<ArrayBuffer>>;
  getJson(path: string, call: KubeCall): Promise<unknown>;
  postJson(path: string, body: object, call: KubeCall): Promise<unknown>;
  /** The same for an object in YAML, which can hold numbers that JSON in JavaScript rounds. */
  postYaml(path: string, text: string, call: KubeCall): Promise<unknown>;
  putJson(path: string, body: object, call: KubeCall): Promise<unknown>;
  /** A JSON merge patch; a compare-and-swap if it contains `metadata.resourceVersion`. */
  patchJson(path: string, body: object, call: KubeCall): Promise<unknown>;
  /**
   * Server-side apply: creates the object, or takes over the fields of the body from whoever changed them. With the name in
   * the path, RBAC can allow it for objects of one name only, creation included.
   */
  applyJson(path: string, body: object, fieldManager: string, call: ApplyCall): Promise<unknown>;
  deleteJson(path: string, body: object, call: KubeCall): Promise<unknown>;
  /** A streamed answer as it arrives, until it ends or the signal aborts. Leaving the loop closes the connection. */
  streamBytes(path: string, call: KubeCall): AsyncGenerator<Uint8Array>;
  /** The lines of a streamed answer, until it ends or the signal aborts; null for a line that is too long. */
  streamLines(path: string, call: KubeCall): AsyncGenerator<string | null>;
}

/** The connections to the API server of a cluster, for any number of callers with tokens of their own. */
export function openConnectionsTo(access: KubeAccess): Connections {
  const { origin, hostname, port } = new URL(access.server);
  let target: SocketTarget | undefined;
  // Made by the first request, so that an invalid certificate fails only requests.
  return openConnections(origin, () => {
    target ??= {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 443),
      tls: {
        ...(access.isInsecure === true && { rejectUnauthorized: false }),
        // Shared by all connections: each would parse the certificates again and keep its own copy.
        secureContext: createSecureContext({ ...(access.ca !== null && { ca: access.ca }), ...access.certificate }),
      },
      proxy: access.proxyUrl === undefined ? proxyFor(new URL(origin)) : new URL(access.proxyUrl),
    };
    return target;
  });
}

/**
 * `@kubernetes/client-node` opens a connection for each request, speaks HTTP/1.1 only, lists without pages, and cannot refuse the
 * programs and files of a kubeconfig (docs/decisions/0017). `connections` are those of the same server.
 */
export function openKubeApi(
  access: KubeAccess,
  { userAgent = 'berth', token, onRefused, maxAnswerBytes = answerLimits.page.bytes }: KubeApiOptions = {},
  connections: Connections = openConnectionsTo(access),
): KubeApi {
  const { pathname } = new URL(access.server);
  const prefix = pathname === '/' ? '' : pathname;

  async function open(
    method: Method,
    path: string,
    { signal, accept }: Pick<KubeCall, 'signal' | 'accept'>,
    body?: Body,
  ): Promise<IncomingAnswer> {
    // Issuing a token may take longer than this request's deadline.
    const bearer = token ? await untilAborted(token(signal), signal) : access.token;
    const headers = {
      accept: accept ?? json,
      'user-agent': userAgent,
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': body.type }),
    };
    const answer = await connections.send({ method, path: prefix + path, headers, body: body?.text }, signal);
    if (answer.status === 401 && bearer !== null) onRefused?.(bearer);
    return answer;
  }

  async function exchange(method: Method, path: string, call: KubeCall, body?: Body): Promise<Buffer<ArrayBuffer>> {
    const { signal, deadlineMs, accept, answer: kind = 'object' } = call;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    try {
      const answer = await open(method, path, { signal: limit, ...(accept !== undefined && { accept }) }, body);
      await refuseFailure(answer);
      for (const text of warningsIn(answer.warnings)) call.onWarning?.(text);
      return await readBytes(answer.body, Math.min(answerLimits[kind].bytes, maxAnswerBytes));
    } catch (error) {
      if (limit.aborted && !signal.aborted) connections.suspect();
      // Node reports only an abort; the signal's reason says whether the deadline or the caller ended the call.
      throw limit.aborted ? limit.reason : error;
    }
  }

  const getText = async (path: string, call: KubeCall): Promise<string> =>
    (await exchange('GET', path, call)).toString('utf8');

  const sendBody = async (method: Method, path: string, body: Body, call: KubeCall): Promise<unknown> =>
    parseAnswer(await exchange(method, path, call, body), call.answer ?? 'object');

  const sendJson = (method: Method, path: string, body: object, call: KubeCall): Promise<unknown> =>
    sendBody(method, path, { type: contentTypes[method], text: JSON.stringify(body) }, call);

  return {
    server: access.server,
    getText,
    getBytes: (path, call) => exchange('GET', path, call),
    getJson: async (path, call) => parseAnswer(await exchange('GET', path, call), call.answer ?? 'object'),
    postJson: (path, body, call) => sendJson('POST', path, body, call),
    postYaml: (path, text, call) => sendBody('POST', path, { type: 'application/yaml', text }, call),
    putJson: (path, body, call) => sendJson('PUT', path, body, call),
    patchJson: (path, body, call) => sendJson('PATCH', path, body, call),
    applyJson: (path, body, fieldManager, call) => {
      const force = call.leaveOthers ? 'false' : 'true';
      const query = new URLSearchParams({
        fieldManager,
        force,
        ...(call.dryRun && { dryRun: 'All' }),
        ...(call.isStrict && { fieldValidation: 'Strict' }),
      });
      const apply = { type: 'application/apply-patch+yaml', text: JSON.stringify(body) };
      return sendBody('PATCH', `${path}?${query.toString()}`, apply, call);
    },
    deleteJson: (path, body, call) => sendJson('DELETE', path, body, call),

    streamLines: (path, call) => splitLines(streamBytes(path, call)),
    streamBytes,

    [Symbol.dispose]: () => connections[Symbol.dispose](),
  };

  async function* streamBytes(
    path: string,
    { signal, deadlineMs, accept, onOpen }: KubeCall,
  ): AsyncGenerator<Uint8Array> {
    const opening = new AbortController();
    const late = setTimeout(() => opening.abort(new DOMException('no answer in time', 'TimeoutError')), deadlineMs);
    const limit = AbortSignal.any([signal, opening.signal]);
    try {
      const answer = await open('GET', path, { signal: limit, ...(accept !== undefined && { accept }) }).finally(() =>
        clearTimeout(late),
      );
      await refuseFailure(answer);
      onOpen?.();
      yield* answer.body;
    } catch (error) {
      if (opening.signal.aborted && !signal.aborted) connections.suspect();
      throw limit.aborted ? limit.reason : error;
    }
  }
}

/** The texts of headers such as `299 - "text"`, several of which may be joined by commas. */
const warningsIn = (headers: readonly string[]): string[] =>
  headers.flatMap((header) =>
    [...header.slice(0, 8_192).matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
      text.replaceAll(/\\(.)/g, '$1'),
    ),
  );

async function refuseFailure({ status, retryAfter, body }: IncomingAnswer): Promise<void> {
  if (status >= 200 && status < 300) return;
  const text = await readBytes(body, answerLimits.error.bytes).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
  throw new KubeError({ status, body: text, retryAfter });
}

async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = gatherBytes(maxBytes);
  // Leaving the loop early destroys the body, and with it the request.
  for await (const chunk of body) if (!bytes.add(chunk)) throw new AnswerTooLarge(maxBytes);
  return Buffer.from(bytes.take().buffer);
}
