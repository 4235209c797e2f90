import { expect, test } from 'vitest';
import { acceptedEncoding } from './accepted-encoding.ts';

test.for([
  [undefined, null],
  ['', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['GZIP;Q=0.8 , br;q=0', 'gzip'],
  ['*', 'br'],
  ['*;q=0.1, br;q=0', 'gzip'],
  ['gzip;q=0, br;q=0', null],
  ['deflate, zstd', null],
  ['identity', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['gzip;q=2', null],
  ['gzip;q=x, br;level=1', null],
] as const)('Accept-Encoding %j is answered in %s', ([header, encoding]) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});
