import { expect, test } from 'vitest';
import { asciiLowerCase, foldsToAscii } from './ascii-case.ts';

test('only the letters of ASCII are folded', () => {
  expect(asciiLowerCase('Kate.Ü@Example.COM')).toBe('kate.Ü@example.com');
  expect(asciiLowerCase('\u212Aate@example.com')).toBe('\u212Aate@example.com');
});

test('the characters that fold to ASCII are found, whichever folding it is', () => {
  const folding = ['\u212Aate', '\u017Ftefan', 'adm\u0130n', '\uFF41dmin', '\uFB01n', '\u{1D41A}da', 'a\u2024b'];
  expect(folding.filter((text) => !foldsToAscii(text))).toEqual([]);
  expect(['kate', 'josé', 'jose\u0301', 'Ünal', 'Ω', 'ß', 'Иван', '山田', '👩'].filter(foldsToAscii)).toEqual([]);
});
