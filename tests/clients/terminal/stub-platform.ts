import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenHere } from '../grounds/listen-here.ts';

/** A platform that answers as the test says, where a real one would do so only by chance. */
export async function startStubPlatform(answer: (request: IncomingMessage, reply: ServerResponse) => void) {
  return listenHere(createServer(answer));
}

export const json = (reply: ServerResponse, content: unknown): void =>
  void reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
