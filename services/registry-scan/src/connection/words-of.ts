import { startOf } from '@berth/contracts/cut-text';
import { EgressRefused, ReplyTooLarge } from '@berth/egress/egress-errors';
import { RegistryError } from './registry-error.ts';

const longest = 500;

/** A failure of a scan in words for whoever misses a chart. Only errors that were worded for people are repeated. */
export function wordsOf(failure: unknown): string {
  const isWorded =
    failure instanceof RegistryError || failure instanceof EgressRefused || failure instanceof ReplyTooLarge;
  return isWorded ? startOf(failure.message, longest) : 'an unexpected error, which the log of registry-scan names';
}
