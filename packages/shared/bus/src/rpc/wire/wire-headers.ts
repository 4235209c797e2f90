import type { MsgHdrs } from '@nats-io/transport-node';

/** Names of our message headers. Untrusted values are checked before they go into one. */
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
/** An identity carries its roles: the largest that can be written has 0.7 million characters. */
const maxIdentity = 1024 * 1024;

/**
 * Headers of one message as text. The library's own class checks and copies every name and value three times,
 * which is measurable on every request; publishing needs `encode` only.
 */
export class WireHeaders {
  #text = 'NATS/1.0';

  /** False if the value cannot stand in a header; it is left out then. */
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
