import type { RowEvent } from '@berth/bus/events/event-reader';
import { idOf, type Position } from './position.ts';

/** The data that a client receives: which row changed, never its content. */
export function dataOf({ event: { operation, resource, env_id, id, version } }: RowEvent): string {
  return JSON.stringify({ operation, table: resource, env_id, data: { id }, version });
}

/** Server-sent events of the HTML standard; `data` is one line, since its JSON has no line breaks. */
export const eventText = (position: Position, data: string): string => `id: ${idOf(position)}\ndata: ${data}\n\n`;

/** Tells a client that it has missed events and must read again what it shows. */
export const resetText = (position: Position, reason: string): string =>
  `event: reset\nid: ${idOf(position)}\ndata: ${JSON.stringify({ reason })}\n\n`;

/** Moves the client's position without an event; the comment keeps proxies from closing the connection. */
export const positionText = (position: Position): string => `: here\nid: ${idOf(position)}\n\n`;

/** How long a client waits before it connects again, in ms. */
export const retryText = 'retry: 2000\n';
