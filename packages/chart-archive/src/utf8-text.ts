import { ChartUnreadable } from './chart-unreadable.ts';

/** The text of a file of a chart. */
export function utf8Text(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ChartUnreadable(`${path} is not UTF-8 text`);
  }
}
