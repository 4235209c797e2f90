import { loopCost } from '@berth/testing/loop-cost';
import { expect, test } from 'vitest';
import { createTextFinder, unitsOf } from './text-finder.ts';

function foundIn(line: string, texts: readonly string[]): string[] {
  const finder = createTextFinder();
  for (const text of texts) finder.add(text);
  return finder.find(unitsOf(line)).map(({ from, to }) => line.slice(from, to));
}

test.for([
  ['a text', 'the swordfish!', ['swordfish'], ['swordfish']],
  ['each of several texts', 'swordfish, catfish', ['swordfish', 'catfish'], ['swordfish', 'catfish']],
  ['the longest of texts with the same beginning', 'swordfishes', ['swordfish', 'swordfishes'], ['swordfishes']],
  ['texts that overlap as one', 'abcdefghij', ['abcdefg', 'defghij'], ['abcdefghij']],
  ['nothing if a text is incomplete', 'swordfis', ['swordfish'], []],
  ['not a text that is too short', 'fish', ['fish'], []],
  ['a text at the end', 'a swordfish', ['swordfish'], ['swordfish']],
  ['a text of more than one alphabet', 'das Paßwörtchen 🐟🐟', ['Paßwörtchen 🐟'], ['Paßwörtchen 🐟']],
  ['a long text', `a${'0123456789'.repeat(20)}b`, ['0123456789'.repeat(20)], ['0123456789'.repeat(20)]],
] as const)('is found: %s', ([, line, texts, found]) => {
  expect(foundIn(line, texts)).toEqual(found);
});

const shared = 'a'.repeat(40);
test.for([
  ['share a beginning with the line', 'a'.repeat(64 * 1024), (index: number) => `${shared}${index}`],
  ['end alike', 'a'.repeat(64 * 1024), (index: number) => `${index}${shared}`],
  ['have all lengths', 'a'.repeat(64 * 1024), (index: number) => `${'a'.repeat(6 + (index % 58))}b`],
  ['are lines of a key', 'QUJD'.repeat(16 * 1024), (index: number) => `${'QUJD'.repeat(15)}${index}`],
] as const)('thousands of texts cost little more than one if they %s', async ([, line, textOf]) => {
  const finder = createTextFinder();
  for (let index = 0; index < 5_000; index += 1) finder.add(textOf(index));
  const units = unitsOf(line);

  const { longestTurnMs } = await loopCost(() => finder.find(units));

  // The length of the line times the number of texts would be 300,000,000 steps.
  expect(longestTurnMs).toBeLessThan(150);
});

/** Texts of 32 units with the same polynomial hash whatever its base is: multiples of the sequence of Thue and Morse are added. */
function collidingTexts(): string[] {
  const isOdd = (index: number) => index.toString(2).replaceAll('0', '').length % 2 === 1;
  const shiftedBy = (steps: number) =>
    Array.from({ length: 32 }, (_, index) => 0x4000 + (isOdd(index) ? -4_096 : 4_096) * steps);
  return [-3, -2, -1, 0, 1, 2, 3].map((steps) => String.fromCharCode(...shiftedBy(steps)));
}

test('texts that were made to collide are told apart', () => {
  const [first = '', ...others] = collidingTexts();

  expect(foundIn(`${first} ${others.join(' ')}`, others)).toEqual(others);
  expect(foundIn(first, others)).toEqual([]);
});
