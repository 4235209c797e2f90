import type { IncomingMessage } from 'node:http';
import { gatherBytes } from '@berth/contracts/gather-bytes';
import { ReplyTooLarge } from './egress-errors.ts';

export interface Body {
  bytes: Buffer;
  /** The body was longer than the limit. */
  isCut: boolean;
}

/** Reads the whole body, or throws and closes the connection as soon as it exceeds the limit. */
export async function readBounded(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { bytes, isCut } = await readUpTo(message, maxBytes);
  if (isCut) throw new ReplyTooLarge(`the body is larger than ${maxBytes} bytes`);
  return bytes;
}

/** Reads a body up to the limit and closes the connection if there is more. */
export async function readUpTo(message: IncomingMessage, maxBytes: number): Promise<Body> {
  const gathered = gatherBytes(maxBytes);
  let isCut = false;
  try {
    for await (const chunk of message) {
      const bytes: Buffer = chunk;
      isCut = !gathered.add(bytes);
      if (isCut) break;
    }
  } finally {
    if (!message.complete) message.destroy();
  }
  return { bytes: Buffer.from(gathered.take().buffer), isCut };
}

/** The body in pieces as it arrives. Throws and closes the connection as soon as it exceeds the limit. */
export async function* boundedBody(message: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let count = 0;
  try {
    for await (const chunk of message) {
      const bytes: Buffer = chunk;
      count += bytes.length;
      if (count > maxBytes) throw new ReplyTooLarge(`the body is larger than ${maxBytes} bytes`);
      yield bytes;
    }
  } finally {
    if (!message.complete) message.destroy();
  }
}
