import { cutText } from '@berth/contracts/cut-text';
import { loopCost } from '@berth/testing/loop-cost';
import { expect, test } from 'vitest';
import { redactSecrets } from './redact-secrets.ts';

const secret = 'Old+Secret&Value=1234567';
const redact = redactSecrets([
  secret,
  `${'line of a certificate '.repeat(3)}\nshort\n`,
  'quote"\nand more',
  'postgres',
]);
const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding);

test.for([
  ['as it is', `probe of http://10.0.0.1/?k=${secret} failed`, 'probe of http://10.0.0.1/?k=*** failed'],
  ['in lower case', `the name web-${secret.toLowerCase()}`, 'the name web-***'],
  ['percent-encoded', `http://h/?k=${encodeURIComponent(secret)} failed`, '***'],
  ['percent-encoded twice', `http://h/?k=${encodeURIComponent(encodeURIComponent(secret))}`, '***'],
  ['in base64', `args: [${encoded(secret, 'base64')}]`, '***'],
  ['in base64 behind one character', encoded(`k${secret}`, 'base64'), '***'],
  ['in base64 behind two characters', encoded(`k:${secret}`, 'base64'), '***'],
  ['in base64 behind other letters', `x${encoded(secret, 'base64url')}`, '***'],
  ['in hexadecimal digits', `0x${encoded(secret, 'hex')}`, '***'],
  ['escaped in JSON', String.raw`{"a":"quote\"\nand more"}`, '***'],
  ['a single line of it', 'has line of a certificate line of a certificate line of a certificate', 'has ***'],
] as const)('a secret is redacted: %s', ([, text, shown]) => {
  expect(redact(text)).toBe(shown);
});

test.for([
  ['as it is', secret],
  ['percent-encoded', encodeURIComponent(secret)],
  ['percent-encoded as a whole', [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')],
  ['in base64', encoded(`k:${secret}`, 'base64')],
  ['in hexadecimal digits', encoded(secret, 'hex')],
  ['escaped in JSON', [...secret].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
] as const)('a secret that the cut of a text divides is redacted: %s', ([, text]) => {
  const message = `probe failed: ${text} and more`;
  const shown = Array.from({ length: text.length }, (_, length) => cutText(message, 15 + length));

  for (const cut of shown)
    expect(redact(cut)).not.toMatch(/old\+sec|old%2bsec|%4f%6c%64%2b%53%65|ok9szCt|OiB|4f6c642b5365|u004f.*u0065/i);
  expect(redact(shown.at(-1) ?? '')).toContain('***');
});

test('the end of a text that was not cut stays, whatever secret begins like it', () => {
  expect(redact('there is one Old+Secret')).toBe('there is one Old+Secret');
  expect(redact('there is a quote…')).toBe('there is a quote…');
});

test('other texts stay as they are', () => {
  for (const text of [
    '',
    'web-7d4b9c6f5-x2x9z',
    'Readiness probe failed: HTTP 503',
    'short',
    'sha256:0b6c2a9e58bb4c0f',
  ]) {
    expect(redact(text)).toBe(text);
  }
});

test('a short secret is redacted in messages but not in names, where it may be an ordinary word', () => {
  expect(redact('user postgres: no such role')).toBe('user *** no such role');
  expect(redact('postgres-0', 12)).toBe('postgres-0');
});

test('a secret with thousands of lines does not leave out the others', () => {
  const certificates = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a certificate`).join('\n');

  expect(redactSecrets([certificates, 'swordfish'])('the password is swordfish')).toBe('the password is ***');
});

test('a list of thousands of words does not leave out a password behind them', () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `item${index}`);

  expect(redactSecrets([...words, 'swordfish-2000'])('the password is swordfish-2000')).toBe('the password is ***');
});

test('ten thousand secrets that begin alike make the end of a cut text no dearer', async () => {
  const secrets = Array.from({ length: 10_000 }, (_, index) => `aaaaaa${String(index).padStart(40, '0')}`);
  const search = redactSecrets(secrets);
  const text = `${'a'.repeat(999)}…`;

  expect(search(text)).toMatch(/^a+\*\*\*…$/);
  const { longestTurnMs } = await loopCost(() => {
    for (let times = 0; times < 50; times += 1) search(text);
  });
  // With a comparison for each secret, it takes thirty times as long.
  expect(longestTurnMs).toBeLessThan(150);
});

test('secrets that begin alike are found, however many lengths they have', async () => {
  const secrets = Array.from({ length: 43 }, (_, more) => `aaaaa ${'ab '.repeat(15).slice(0, more)}Z`);
  const search = redactSecrets(secrets);
  const near = 'aaaaa ab ab ab ab ab ab ab ab ab ab ab ab'.slice(0, 39);

  for (const secret of secrets) expect(search(`it is ${secret}`), secret).toMatch(/^it is \*\*\*$/);
  const { longestTurnMs } = await loopCost(() => search(near.repeat(2_000)));
  // With a comparison for each length, it takes five times as long.
  expect(longestTurnMs).toBeLessThan(150);
});
