import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { finderOf } from './known-secrets.ts';
import { redact } from './redact.ts';

const percent = (text: string, cased: (hex: string) => string) =>
  [...Buffer.from(text)].map((byte) => `%${cased(byte.toString(16).padStart(2, '0'))}`).join('');
const lower = (text: string) => text.toLowerCase();
const upper = (text: string) => text.toUpperCase();
/** Base64 of the text between other bytes, as in a URL of a database. */
const embedded = (text: string, offset: number, encoding: 'base64' | 'base64url') =>
  Buffer.concat([randomBytes(offset), Buffer.from(text), randomBytes(randomInt(4))]).toString(encoding);
const goEscape = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[<>&]/g, (unit) => String.raw`\u00${unit.charCodeAt(0).toString(16)}`);
const hexEscape = (text: string) =>
  [...Buffer.from(text)].map((byte) => String.raw`\x${byte.toString(16).padStart(2, '0')}`).join('');

/** How a chart, Helm, a log of Go or a query may show a text. */
const encodings: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'percent-encoded whole, upper case': (text) => percent(text, upper),
  'percent-encoded whole, lower case': (text) => percent(text, lower),
  'as part of a URL': encodeURIComponent,
  'as a form': (text) => new URLSearchParams({ k: text }).toString(),
  'as a form in lower case hex': (text) => new URLSearchParams({ k: text }).toString().replaceAll(/%../g, lower),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 behind one byte': (text) => embedded(text, 1, 'base64'),
  'base64 behind two bytes': (text) => embedded(text, 2, 'base64'),
  'base64 behind three bytes': (text) => embedded(text, 3, 'base64'),
  'base64 of URLs': (text) => embedded(text, 0, 'base64url'),
  'base64 of URLs behind four bytes': (text) => embedded(text, 4, 'base64url'),
  'base64 of URLs behind five bytes': (text) => embedded(text, 5, 'base64url'),
  'base64, percent-encoded': (text) => encodeURIComponent(embedded(text, 2, 'base64')),
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON of Go': goEscape,
  'JSON of Go in JSON': (text) => JSON.stringify(goEscape(text)),
  'hex escapes of YAML and Go': hexEscape,
  'single quotes of YAML': (text) => `'${text.replaceAll("'", "''")}'`,
};

const alphabet = [...`abcXYZ0189 "'\\/<>&%+=?#:@!$-_.,;{}[]()~^|\``];
const randomSecret = (least: number) =>
  Array.from({ length: least + randomInt(120) }, () => alphabet[randomInt(alphabet.length)] ?? '').join('');

test.for(Object.entries(encodings))('a secret %s is redacted completely, at any position', ([name, encode]) => {
  for (let round = 0; round < 60; round += 1) {
    const isBase64 = name.includes('base64');
    const secret = randomSecret(isBase64 ? 30 : 12);
    const encoded = encode(secret);
    const before = `k${randomBytes(randomInt(20)).toString('hex')}: `;
    const line = `${before}${encoded} end`;

    const shown = redact(line, finderOf([secret]));

    expect(shown.startsWith(before), `${line} is shown as ${shown}`).toBe(true);
    // Only quotes, the name in a form, and base64 that depends on the surrounding bytes may be left.
    const left = shown.slice(before.length).replace(/ end$/, '').replaceAll('***', '');
    expect(left.length, `${line} is shown as ${shown}`).toBeLessThan(isBase64 ? 24 : 8);
  }
});

test.for(['%F0', '%E2', '%C3%C3', '%f0%9f'])(
  'a secret behind bytes that are not characters, as %s, is redacted',
  (before) => {
    const secret = 'hunter2&hunter2';

    expect(redact(`${before}${percent(secret, upper)}`, finderOf([secret]))).not.toContain(percent('hunter', upper));
  },
);

test('escaped texts of other alphabets are found', () => {
  const secret = 'Größe-🐟-Schlüssel';
  const escaped = [...secret]
    .map((letter) =>
      letter < '\u0080'
        ? letter
        : [...Array(letter.length).keys()]
            .map((at) => String.raw`\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`)
            .join(''),
    )
    .join('');
  const big = secret.replace('🐟', String.raw`\U0001F41F`);
  const known = finderOf([secret]);

  expect([encodeURIComponent(secret), escaped, big].map((line) => redact(`a ${line} b`, known))).toEqual(
    Array.from({ length: 3 }, () => 'a *** b'),
  );
});

test('a text that only looks like an escape stays', () => {
  const line = String.raw`100% of C:\Users\x and \u12 %zz %`;

  expect(redact(line, finderOf(['swordfish']))).toBe(line);
});
