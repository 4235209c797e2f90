import type { IncomingMessage } from 'node:http';
import { ReplyTooLarge } from './egress-errors.ts';

export interface Body {
  bytes: Buffer;
  /** More was sent than is kept. */
  isCut: boolean;
}

/** The whole body, or an error as soon as it is longer than it may be; then the connection is closed. */
export async function readBounded(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { bytes, isCut } = await readUpTo(message, maxBytes);
  if (isCut) throw new ReplyTooLarge(`more than ${maxBytes} bytes were sent`);
  return bytes;
}

/** The beginning of a body; what is longer closes the connection. */
export async function readUpTo(message: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      const bytes: Buffer = chunk;
      size += bytes.byteLength;
      chunks.push(bytes);
      if (size > maxBytes) break;
    }
  } finally {
    if (!message.complete) message.destroy();
  }
  return { bytes: Buffer.concat(chunks, Math.min(size, maxBytes)), isCut: size > maxBytes };
}
