import { loopCost } from '@berth/testing/loop-cost';
import { expect, test } from 'vitest';
import { markedValues } from './marked-values.ts';
import { markerOf } from './marker-of.ts';

const pem = '-----BEGIN KEY-----\nMIIEvQ/+==\n-----END KEY-----\n';

test.for([
  ['a password', 'Sw0rd-fish!', /^[A-Z][a-z]\d[a-z]{2}-[a-z]{4}!$/],
  ['hexadecimal digits', 'c0ffee99', /^[0-9a-f]{8}$/],
  ['a UUID', '0b6c2a9e-58bb-4c0f-9f6b-3b9f1f7f2a11', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['base64', 'c2VjcmV0Cg==', /^[A-Za-z0-9]{10}==$/],
  [
    'a URL, with its scheme',
    'postgres://user:pass@db.example.com:5432/a',
    /^postgres:\/\/[a-z]{4}:[a-z]{4}@[^:]+:\d{4}\/[a-z]$/,
  ],
  ['a PEM, with its first and last line', pem, /^-----BEGIN KEY-----\n[A-Za-z0-9/+=]{10}\n-----END KEY-----\n$/],
  ['lines with keys', 'user: ada\npassword: x1\n', /^user: [a-z]{3}\npassword: [a-z]\d\n$/],
  ['lines of a properties file', 'user=ada\npw=x1', /^user=[a-z]{3}\npw=[a-z]\d$/],
] as const)('a marker has the shape of %s, but different letters and digits', ([, text, shape]) => {
  const marker = markerOf(text);

  expect(marker).toMatch(shape);
  expect(marker).toHaveLength(text.length);
  expect(markerOf(text)).toBe(marker);
  const secretPart = (whole: string) => whole.replaceAll(/^-----.*$|^[a-z]+:\/\/|^\w+(?::|=(?!=))/gm, '');
  const [before, after] = [secretPart(text), secretPart(marker)];
  const kept = [...before].filter((character, index) => /[A-Za-z0-9]/.test(character) && after[index] === character);
  expect(kept).toEqual([]);
});

test.for(['!§$%&/()=', 'кодовое слово', '🐟🐟', '--- ---'])(
  'the marker of %s, which has no ASCII letter or digit, differs in each character',
  (text) => {
    const marker = markerOf(text);

    expect(marker).toHaveLength(text.length);
    expect([...text].filter((character, index) => character !== ' ' && marker[index] === character)).toEqual([]);
  },
);

test('the marker of JSON is JSON with the same keys and other texts and numbers', () => {
  const text = String.raw`{"user":"ada","port":5432,"on":true,"keys":["a\"b\u00e9"],"zero":50}`;

  expect(JSON.parse(markerOf(text))).toEqual({
    user: expect.stringMatching(/^[a-f]{3}$/),
    port: expect.not.toSatisfy((port: number) => port === 5432),
    on: true,
    keys: [expect.stringMatching(/^[a-f]"[a-f]é$/)],
    zero: expect.not.toSatisfy((zero: number) => zero === 50),
  });
});

test('a text that only looks like a line with a key is marked as a whole', () => {
  for (const text of ['c2VjcmV0Cg=', 'password=', 'abc: ', 'abc://']) {
    expect(markerOf(text), text).not.toBe(text);
  }
});

test.for([
  ['lines with keys', 'a: b\n'],
  ['lines that look like those of a PEM', '-----BEGIN A-----\n'],
  ['URLs', 'a://x\n'],
] as const)('the cost of a marker grows with its text: %s', async ([, line]) => {
  const secret = line.repeat((256 * 1024) / line.length);

  const { longestTurnMs } = await loopCost(() => markerOf(secret));

  // With a new text for each line, it takes seconds.
  expect(longestTurnMs).toBeLessThan(500);
});

test('only values that are a secret are marked', () => {
  const values = {
    image: 'web:1',
    db: { password: 'swordfish', pin: 1234, ports: [80] },
    list: ['swordfish', 'other'],
  };

  expect(markedValues(values, ['swordfish\n', '1234'])).toEqual({
    image: 'web:1',
    db: { password: expect.stringMatching(/^(?!swordfish)[a-z]{9}$/), pin: expect.any(Number), ports: [80] },
    list: [expect.stringMatching(/^(?!swordfish)[a-z]{9}$/), 'other'],
  });
  expect(markedValues(values, ['elsewhere', '80'])).toBeNull();
});
