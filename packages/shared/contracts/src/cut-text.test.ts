import { describe, expect, test } from 'vitest';
import { cutText, cutToSize, piecesOf, startOf } from './cut-text.ts';

const samples = [
  '',
  'short',
  'x'.repeat(50),
  '😀'.repeat(25),
  `x${'😀'.repeat(25)}`,
  '字'.repeat(50),
  '\u0001'.repeat(50),
];
const broken = ['\ud83d', 'a\ude00b', `${'x'.repeat(9)}\ud83d`];
const all = [...samples, ...broken];
const limits = Array.from({ length: 40 }, (_, n) => n + 4);

const bytes = (text: string) => Buffer.byteLength(text);
const onWire = (text: string) => Buffer.byteLength(JSON.stringify(text));

describe('cut text', () => {
  test('respects the limit at every length and is well-formed', () => {
    for (const text of all) {
      for (const most of limits) {
        const cut = cutText(text, most);
        expect([cut.length <= most, cut.isWellFormed()]).toEqual([true, true]);
        expect(cut.endsWith('…')).toBe(text.length > most);
      }
    }
  });

  test.for([
    ['bytes', bytes],
    ['bytes of its JSON', onWire],
  ] as const)('keeps as much as fits by its %s and is well-formed', ([, sizeOf]) => {
    for (const text of all) {
      for (const most of limits.map((limit) => limit * 2)) {
        const cut = cutToSize(text, most, sizeOf);
        expect([sizeOf(cut) <= most, cut.isWellFormed()]).toEqual([true, true]);
        const isWhole = cut === text.toWellFormed();
        // The longest escape of a single character has twelve bytes.
        expect(isWhole || sizeOf(cut) > most - 13).toBe(true);
        expect(isWhole).toBe(sizeOf(text.toWellFormed()) <= most);
      }
    }
  });

  test('can be split into pieces without splitting a character, and joined again', () => {
    for (const text of samples) {
      for (const most of limits) {
        const pieces = [...piecesOf(text, most)];
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => piece.length <= most && piece.isWellFormed())).toBe(true);
      }
    }
  });

  test('ends before a character that does not fit', () => {
    expect(startOf('a😀', 2)).toBe('a');
    expect(cutText('abc😀😀', 5)).toBe('abc…');
  });
});
