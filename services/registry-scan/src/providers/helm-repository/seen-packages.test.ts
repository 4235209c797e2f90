import { expect, test } from 'vitest';
import { createSeenPackages } from './seen-packages.ts';

const url = 'https://charts.example.com/web-1.0.0.tgz';
const digest = 'sha256:1';
const at = (seconds: number) => new Date(1_790_000_000_000 + seconds * 1000).toUTCString();

test.for([
  ['an ETag', { etag: '"1"', 'last-modified': at(0), date: at(0) }, { etag: '"1"' }],
  ['a date of a minute ago', { 'last-modified': at(0), date: at(60) }, { lastModified: at(0) }],
  [
    'a date so young that the package may change within its second',
    { 'last-modified': at(0), date: at(59) },
    undefined,
  ],
  ['a date that is none', { 'last-modified': 'yesterday', date: at(59) }, undefined],
  ['an endless ETag', { etag: 'x'.repeat(201) }, undefined],
  ['nothing', {}, undefined],
] as const)('a package with %s is known again by what can tell whether it has changed', ([, headers, validator]) => {
  const seen = createSeenPackages(10);

  seen.note(url, { digest, headers });

  expect(seen.at(url)).toEqual(validator && { digest, validator });
});

test('of too many packages the oldest are forgotten', () => {
  const seen = createSeenPackages(2);
  for (const name of ['a', 'b', 'a', 'c']) seen.note(name, { digest, headers: { etag: '"1"' } });

  expect(['a', 'b', 'c'].map((name) => seen.at(name) !== undefined)).toEqual([true, false, true]);
});
