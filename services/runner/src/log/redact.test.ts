import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { expect, test } from 'vitest';
import { finderOf } from './known-secrets.ts';
import { redact } from './redact.ts';

test.for([
  ['a bearer token', 'Authorization: Bearer abcdef0123456789', 'Authorization: Bearer ***'],
  ['a JWT', 'token eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJiZXJ0aCJ9.c2lnbmF0dXJl end', 'token *** end'],
  ['a JWT within a word', 'x-eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJiZXJ0aCJ9.c2lnbmF0dXJl', 'x-***'],
  ['but not a short word', 'the file eyJ.md of a.b.c', 'the file eyJ.md of a.b.c'],
  ['credentials in a URL', 'pull https://user:pass@host/x', 'pull https://***@host/x'],
  ['a secret of the run', 'the password is swordfish', 'the password is ***'],
])('a log line is redacted: %s', ([, line, shown]) => {
  expect(redact(line ?? '', finderOf(['swordfish']))).toBe(shown);
});

test.for(['x', 'eyJ-', 'a://', 'Bearer ', 'a:'])(
  'redacting a long line that repeats %s takes time in proportion to its length',
  (piece) => {
    const line = piece.repeat(65_536 / piece.length);
    const before = process.threadCpuUsage();

    redact(line, finderOf([]));

    expect(cpuMsSince(before)).toBeLessThan(1_000);
  },
);
