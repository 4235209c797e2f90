import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Bug } from '@berth/contracts/errors';
import { EgressRefused } from './egress-errors.ts';

/** All addresses of a name. */
export type Resolve = (hostname: string, options: LookupOptions) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (hostname, options) => lookup(hostname, { ...options, all: true });

/**
 * Resolves a name and returns only the permitted addresses. The connection is made to exactly these, so a name that
 * resolves differently the second time (DNS rebinding) gains nothing.
 */
export const guardedLookup =
  (permits: (address: string) => boolean, resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const permitted = addresses.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (!first) return callback(new EgressRefused(`${hostname} resolves to an address that is not allowed`), []);

      if (options.all) return callback(null, permitted);
      return callback(null, first.address, first.family);
    };
    const addressesOf = async (): Promise<readonly LookupAddress[] | null> => {
      try {
        return await resolve(hostname, options);
      } catch (error) {
        callback(
          error instanceof Error
            ? error
            : new Bug('a lookup failed with a value that is not an Error', { cause: error }),
          [],
        );
        return null;
      }
    };
    void addressesOf().then((addresses) => addresses && answer(addresses));
  };
