import { describe, expect, test } from 'vitest';
import { newApiToken, parseApiToken } from './api-token.ts';

describe('an API token', () => {
  test('is read back with its id and the hash of its secret', () => {
    const token = newApiToken();

    expect(parseApiToken(token.text)).toEqual({ id: token.id, secretHash: token.secretHash });
  });

  test('consists of an id of 16 bytes and a secret of 256 bits, in base64url', () => {
    expect(newApiToken().text).toMatch(/^[\w-]{22}\.[\w-]{43}$/);
  });

  test('has a new id and secret each time', () => {
    const texts = new Set(Array.from({ length: 100 }, () => newApiToken().text));

    expect(texts.size).toBe(100);
  });

  const [id = '', secret = ''] = newApiToken().text.split('.');

  test.for([
    ['nothing', ''],
    ['an id alone', id],
    ['a dot alone', '.'],
    ['an id without a secret', `${id}.`],
    ['a secret without an id', `.${secret}`],
    ['two dots', `${id}.${secret}.`],
    ['padding', `${id}==.${secret}=`],
    ['another alphabet', `${id}.${'+'.repeat(43)}`],
    ['a short secret', `${id}.${secret.slice(1)}`],
    ['a long secret', `${id}.${secret}A`],
    ['white space around it', ` ${id}.${secret}`],
    ['a line break at its end', `${id}.${secret}\n`],
    ['ten thousand characters', 'A'.repeat(10_000)],
    ['an id in a second spelling', `${'A'.repeat(21)}B.${secret}`],
  ] as const)('is refused when it is %s', ([, text]) => {
    expect(parseApiToken(text)).toBeNull();
  });
});
