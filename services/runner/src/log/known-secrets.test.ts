import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKnownSecrets, finderOf } from './known-secrets.ts';
import { redact } from './redact.ts';
import { logTexts } from './log-texts.ts';

const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END KEY-----';
const secrets = { one: { password: 'sword"fish', short: 'yes' }, two: { key } };
const known = await createKnownSecrets({ secrets, confidential: ['lies in the values'] });
known.add(['a-token-of-a-cluster']);
const shown = (line: string) => logTexts(line, known.texts()).join('');

test.for([
  ['as it is', 'password: sword"fish', 'password: ***'],
  ['quoted', 'password: "sword\\"fish"', 'password: "***"'],
  ['in base64, as in a Secret', `data: ${Buffer.from('sword"fish').toString('base64')}`, 'data: ***'],
  ['a single line of it', '    MIIEvQIBADANBgkqhkiG9w0BAQ', '    ***'],
  ['a text in the values', 'it lies in the values', 'it ***'],
  ['a credential for the cluster', 'using a-token-of-a-cluster', 'using ***'],
])('a secret of the run is redacted from its log: %s', ([, line, text]) => {
  expect(shown(line ?? '')).toBe(text);
});

test('a value that is too short to be a secret stays in the log', () => {
  expect(shown('enabled: yes')).toBe('enabled: yes');
});

test('a secret is redacted from a long line before the line is cut', () => {
  const pieces = logTexts(`${'x'.repeat(2_995)}sword"fish${'y'.repeat(100)}`, known.texts());

  expect(pieces).toHaveLength(2);
  expect(pieces.join('')).not.toMatch(/sword|fish/);
});

test('control characters and lone surrogates are removed from log lines', () => {
  expect(logTexts('a\u0000b\u001b[31mc\ttab \ud83d!', finderOf([]))).toEqual(['abc\ttab \ufffd!']);
});

test('an empty line of output stays a line of the log', () => {
  expect(logTexts('', finderOf([]))).toEqual(['']);
});

test('a credential stays redacted after it was replaced', async () => {
  const replaced = await createKnownSecrets({ secrets: {}, confidential: [] });
  replaced.add(['the-first-credential']);
  replaced.add(['the-second-credential']);

  expect(logTexts('the-first-credential the-second-credential', replaced.texts())).toEqual(['*** ***']);
});

test.for([
  ['a secret that ends with a line break, shown without it', 'swordfish\n', 'the password is swordfish!'],
  [
    'the same secret, encoded without the line break',
    'swordfish\r\n',
    `password: ${Buffer.from('swordfish').toString('base64')}`,
  ],
  ['a secret as Go writes it in JSON', 'sword<&>fish', String.raw`{"password":"sword\u003c\u0026\u003efish"}`],
] as const)('is redacted: %s', async ([, secret, line]) => {
  const { texts } = await createKnownSecrets({ secrets: { login: { password: secret } }, confidential: [] });

  expect(redact(line, texts())).toContain('***');
});

test('beside secrets of a megabyte, a short one is found in every encoding, and a long one in plain text and base64', async () => {
  const long = Array.from({ length: 20 }, (_, index) => `${index} ${randomBytes(25_000).toString('hex')}`);
  const secrets = { all: { ...Object.fromEntries(long.entries()), password: 'swordfish' } };
  const { texts } = await createKnownSecrets({ secrets, confidential: [] });
  const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding);

  for (const line of ['swordfish', encoded('swordfish', 'hex'), encoded('swordfish', 'base64'), ...long.slice(-1)]) {
    expect(redact(`it is ${line}!`, texts())).toBe('it is ***!');
  }
  for (const each of [long[0] ?? '', long[19] ?? '']) {
    expect(redact(`it is ${encoded(each, 'base64')}!`, texts())).toBe('it is ***!');
  }
});

test('megabytes of secrets are learned in many turns of the event loop', async () => {
  const lines = () => Array.from({ length: 4_000 }, () => randomBytes(12).toString('hex')).join('\n');
  const secrets = { all: Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`key${index}`, lines()])) };
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);

  await createKnownSecrets({ secrets, confidential: [] });
  clearImmediate(counting);

  expect(turns).toBeGreaterThan(20);
});
