import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** IPv4 addresses of a lower-case name; undefined if the name does not exist. */
export type AddressesOf = (name: string) => Promise<readonly string[] | undefined>;

export interface NameServer extends AsyncDisposable {
  readonly port: number;
}

/** A minimal DNS server for address queries over UDP. It never forwards. */
export async function startNameServer(
  { host, port }: { host: string; port: number },
  addressesOf: AddressesOf,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const answer = async (message: Buffer, { address, port: from }: RemoteInfo) => {
    const question = readQuestion(message);
    if (question === undefined) return;
    // On a failure there is no answer, and the resolver tries again.
    const found = await addressesOf(question.name);
    socket.send(writeAnswer(message, question, found), from, address);
  };
  socket.on('message', (message, sender) => void answer(message, sender).catch(() => undefined));
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** The offset of its end in the message. */
  readonly end: number;
}

const HEADER = 12;
const IPV4 = 1;

function readQuestion(message: Buffer): Question | undefined {
  if (message.length < HEADER || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    if (length > 63) return undefined;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > message.length) return undefined;
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end };
}

const NAME_OF_QUESTION = 0xc000 + HEADER;
const INTERNET = 1;
const SECONDS = 2;
/** An authoritative response; its lowest bits say that the name does not exist. */
const flags = { found: 0x8400, unknown: 0x8403 };

function writeAnswer(message: Buffer, { type, end }: Question, found: readonly string[] | undefined): Buffer {
  const records = type === IPV4 ? (found ?? []) : [];
  const header = Buffer.alloc(HEADER);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(found === undefined ? flags.unknown : flags.found, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, message.subarray(HEADER, end), ...records.map(recordOf)]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(NAME_OF_QUESTION, 0);
  record.writeUInt16BE(IPV4, 2);
  record.writeUInt16BE(INTERNET, 4);
  record.writeUInt32BE(SECONDS, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(address.split('.').map(Number)).copy(record, 12);
  return record;
}
