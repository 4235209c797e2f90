import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenHere } from './listen-here.ts';

/** Called after each request. `lose` ends its connection without an answer, `drop` also every later one. */
export type Hook = (request: { method: string; path: string; status: number }) => Promise<'drop' | 'lose' | 'pass'>;

/** How a platform of another version differs. */
export interface Difference {
  path?: (path: string) => string;
  /** Of an answer in JSON. */
  content?: (content: unknown) => unknown;
}

/** Passes requests to a platform, and lets a test do something at a certain one, or stand in for another version of the platform. */
export async function startHookedProxy(target: string, hook: Hook, { path = String, content }: Difference = {}) {
  let isGone = false;
  const pass = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (isGone) return void request.socket.destroy();
    const chunks: Buffer[] = await request.toArray();
    const own = ['host', 'connection', 'content-length', 'transfer-encoding'];
    const passed = Object.entries(request.headers).filter(([name]) => !own.includes(name));
    const { method = 'GET', url = '/' } = request;
    const answer = await fetch(`${target}${path(url)}`, {
      method,
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const whole = await answer.text();
    const isJson = content && answer.ok && answer.headers.get('content-type')?.includes('json');
    const text = isJson ? JSON.stringify(content(JSON.parse(whole))) : whole;
    const verdict = await hook({ method, path: url, status: answer.status });
    if (verdict === 'drop') isGone = true;
    if (verdict !== 'pass') return void request.socket.destroy();
    const kept = ['content-type', 'etag', 'berth-task-ids', 'x-request-id'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    reply.writeHead(answer.status, Object.fromEntries(kept)).end(text);
  };
  return listenHere(createServer((request, reply) => void pass(request, reply)));
}
