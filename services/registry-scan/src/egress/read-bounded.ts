import type { IncomingMessage } from 'node:http';
import { ReplyTooLarge } from './egress-errors.ts';

/** The whole body, or an error as soon as it is longer than it may be; then the connection is closed. */
export async function readBounded(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      const bytes: Buffer = chunk;
      size += bytes.byteLength;
      if (size > maxBytes) throw new ReplyTooLarge(`more than ${maxBytes} bytes were sent`);
      chunks.push(bytes);
    }
  } finally {
    if (!message.complete) message.destroy();
  }
  return Buffer.concat(chunks, size);
}
