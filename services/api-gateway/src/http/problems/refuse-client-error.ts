import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '@berth/contracts/errors';
import { problemOf, titleOf } from './problem.ts';
import { commonHeaders } from './send-problem.ts';

interface Refusal {
  status: number;
  error: AppError;
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, error: new AppError('too_large', 'The headers of the request are too large') };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, error: new AppError('too_large', 'The chunk extensions of the body are too large') };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, error: new AppError('timeout', 'The request did not arrive in time') };
    default:
      return { status: 400, error: new AppError('invalid', 'The request is not valid HTTP') };
  }
}

/** Answers bytes that Node could not parse as a request, and closes the connection, since nothing after them can be trusted. */
export function refuseClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawProblem(refusalOf(error.code)), () => socket.destroy());
}

function rawProblem({ status, error }: Refusal): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(error, { requestId, status }));
  const headers = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    ...commonHeaders,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${titleOf(status)}\r\n${lines.join('')}\r\n${body}`;
}
