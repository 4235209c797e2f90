import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { ServerFailed } from '../server-failed.ts';

export interface ApiAccess {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface KubeApi {
  /** Returns any status code with the text of the answer. */
  get(path: string, signal: AbortSignal): Promise<{ status: number; body: string }>;
  /** Server-side apply: creates or updates the object. Throws unless the API server accepts it. */
  apply(path: string, object: object, signal: AbortSignal): Promise<void>;
  remove(path: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** A minimal client to set up the cluster; `fetch` cannot present a client certificate. */
export function connectKubeApi({ url, ...identity }: ApiAccess): KubeApi {
  const agent = new Agent({ ...identity, keepAlive: true, maxSockets: 4 });

  const send = async (method: string, path: string, signal: AbortSignal, body?: string) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/apply-patch+yaml' };
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    const sent = request(new URL(path, url), { method, headers, agent, signal }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  };

  return {
    get: (path, signal) => send('GET', path, signal),
    apply: async (path, object, signal) =>
      accepted(await send('PATCH', `${path}?fieldManager=berth-devstack&force=true`, signal, JSON.stringify(object))),
    remove: async (path, signal) => accepted(await send('DELETE', path, signal)),
    close: () => agent.destroy(),
  };
}

function accepted({ status, body }: { status: number; body: string }): void {
  if (status >= 300) throw new ServerFailed(`the API server answered ${status}: ${body.slice(0, 500)}`);
}
