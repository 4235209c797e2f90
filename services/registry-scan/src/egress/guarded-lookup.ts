import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EgressRefused } from './egress-errors.ts';

/**
 * Resolves a name and hands on only the addresses that may be connected to. The connection is then made to just these,
 * so a name that answers differently the second time (DNS rebinding) gains nothing.
 */
export const guardedLookup =
  (permits: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);

      const permitted = addresses.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (!first) return callback(new EgressRefused(`${hostname} is at an address that is not allowed`), []);

      if (options.all) return callback(null, permitted);
      return callback(null, first.address, first.family);
    });
  };
