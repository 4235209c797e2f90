import { cpuMsSince } from '@berth/testing/cpu-ms-since';
import { expect, test } from 'vitest';
import { finderOf } from './known-secrets.ts';
import { redact, redactStart } from './redact.ts';

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

test.for([
  ['a secret', 'swordfish-of-the-lake'],
  [
    'a secret in percent-encoding',
    [...'swordfish-of-the-lake'].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  ],
  ['a secret in escapes', [...'swordfish-of-the-lake'].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
  ['a secret in base64', Buffer.from('xswordfish-of-the-lake').toString('base64')],
  ['a long secret', 'swordfish and others. '.repeat(60)],
  ['a bearer token', 'Bearer abcdefghijklmnop'],
  ['a JWT', 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJiZXJ0aCJ9.c2lnbmF0dXJl'],
  ['credentials in a URL', 'https://user:swordfisher@host/'],
] as const)('wherever a text is cut, it does not show the beginning of %s', ([, text]) => {
  const long = 'swordfish and others. '.repeat(60);
  const secrets = finderOf(['swordfish-of-the-lake', long]);
  const line = `before ${text} ${'after '.repeat(200)}`;

  // Shorter beginnings than the finder searches for may stay.
  for (let most = 5; most < 7 + text.length + 2; most += 1) {
    const shown = redactStart(line, most, secrets);
    expect(shown).not.toMatch(/swordf|%73%77%6f|u0077|c3dvcm|Bearer a|eyJh|user:/);
  }
});

test.for([
  ['plain', String],
  ['in percent-encoding', encodeURIComponent],
  ['in escapes', (text: string) => JSON.stringify(text).slice(1, -1)],
] as const)(
  'a text that somebody else cut does not end with the beginning of a secret of several words, %s',
  ([, encode]) => {
    const passphrase = 'correct horse "battery" staple and twelve more words of it';
    const secrets = finderOf([passphrase]);
    const encoded = encode(passphrase);

    for (let length = encode('correct').length; length < encoded.length; length += 1) {
      const shown = redact(`the supply says ${encoded.slice(0, length)}…`, secrets);
      expect(shown).toMatch(/^the supply says \*{3}.{0,5}…$/);
    }
    expect(redact('the supply says corral…', secrets)).toBe('the supply says corral…');
  },
);

test.for(['x', 'eyJ-', 'eyJ', 'a://', 'a://b:', 'Bearer ', 'a:'])(
  'redacting a long line that repeats %s takes time in proportion to its length',
  (piece) => {
    const line = piece.repeat(65_536 / piece.length);
    const before = process.threadCpuUsage();

    redact(line, finderOf([]));
    redactStart(`${line} ${'after '.repeat(200)}`, line.length + 1, finderOf([]));

    expect(cpuMsSince(before)).toBeLessThan(1_000);
  },
);
