import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer extends AsyncDisposable {
  /** `address:port` */
  readonly address: string;
}

const headerBytes = 12;
const typeA = 1;

/** A DNS server by which every name has the address 127.0.0.1. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** RFC 1035, section 4.1: the header with the bits of an answer, the question, and one address for a question of type A. */
function answerTo(query: Buffer): Buffer {
  let end = headerBytes;
  while ((query[end] ?? 0) !== 0) end += (query[end] ?? 0) + 1;
  const question = query.subarray(headerBytes, end + 5);
  const isA = question.readUInt16BE(question.length - 4) === typeA;
  const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const address = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, ...(isA ? [address] : [])]);
}
