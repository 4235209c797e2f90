import type { MsgHdrs } from '@nats-io/transport-node';

/** Names of our message headers. Untrusted values are checked before they are sent in a header. */
export const headerNames = {
  deadline: 'Berth-Deadline-Ms',
  idempotencyKey: 'Berth-Idempotency-Key',
  identity: 'Berth-Identity',
  ifMatch: 'Berth-If-Match',
  network: 'Berth-Network',
  requestId: 'Berth-Request-Id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

const printable = /^[\x20-\x7e]+$/;
const maxLength = 16_384;
/** An identity contains its roles: the largest possible one has 0.7 million characters. */
const maxIdentity = 1024 * 1024;

/**
 * Headers of one message as text. The library's own class checks and copies each name and value three times, a measurable cost
 * per request, although publishing only needs `encode`.
 */
export class WireHeaders {
  #text = 'NATS/1.0';

  /** False if a header cannot carry the value; it is then left out. */
  set(name: string, value: string): boolean {
    if (value.length > (name === headerNames.identity ? maxIdentity : maxLength) || !printable.test(value))
      return false;
    this.#text += `\r\n${name}: ${value}`;
    return true;
  }

  encode(): Uint8Array {
    return Buffer.from(`${this.#text}\r\n\r\n`, 'latin1');
  }

  asHeaders(): MsgHdrs {
    return this as unknown as MsgHdrs;
  }
}

const sane = /^[\w.:+/=-]{1,128}$/;

export const isSaneRequestId = (id: string): boolean => sane.test(id);
