import { expect, test } from 'vitest';
import { knownSecrets } from './known-secrets.ts';
import { logTexts } from './log-texts.ts';

const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END KEY-----';
const secrets = { one: { password: 'sword"fish', short: 'yes' }, two: { key } };
const known = knownSecrets({ secrets }, ['a-token-of-a-cluster']);
const shown = (line: string) => logTexts(line, known).join('');

test.for([
  ['as it is', 'password: sword"fish', 'password: ***'],
  ['quoted', 'password: "sword\\"fish"', 'password: "***"'],
  ['encoded as a Secret does it', `data: ${Buffer.from('sword"fish').toString('base64')}`, 'data: ***'],
  ['a line of it', '    MIIEvQIBADANBgkqhkiG9w0BAQ', '    ***'],
  ['a credential for the cluster', 'using a-token-of-a-cluster', 'using ***'],
  ['not what is too short to be one', 'enabled: yes', 'enabled: yes'],
])('a secret is hidden: %s', ([, line, text]) => {
  expect(shown(line ?? '')).toBe(text);
});

test('a secret across the place where a long line is cut is hidden as well', () => {
  const pieces = logTexts(`${'x'.repeat(2_995)}sword"fish${'y'.repeat(100)}`, known);

  expect(pieces).toHaveLength(2);
  expect(pieces.join('')).not.toMatch(/sword|fish/);
});

test('what no database keeps and what terminals act on is left out', () => {
  expect(logTexts('a\u0000b\u001b[31mc\ttab \ud83d!', [])).toEqual(['abc\ttab \ufffd!']);
});

test('an empty line stays a line', () => {
  expect(logTexts('', [])).toEqual(['']);
});
