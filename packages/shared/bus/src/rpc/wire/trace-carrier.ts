import type { MsgHdrs } from '@nats-io/transport-node';
import type { TextMapGetter, TextMapSetter } from '@opentelemetry/api';
import type { WireHeaders } from './wire-headers.ts';

/** W3C trace context in message headers; the propagator ignores malformed values. */
export const headersAsCarrier: TextMapGetter<MsgHdrs | undefined> = {
  keys: (headers) => headers?.keys() ?? [],
  get: (headers, key) => headers?.get(key) || undefined,
};

export const headersToSet: TextMapSetter<WireHeaders> = {
  set: (headers, key, value) => void headers.set(key, value),
};
