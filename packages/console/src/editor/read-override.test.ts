import { expect, test } from 'vitest';
import { overrideText, readOverride } from './read-override.ts';

test.each([
  ['', null],
  ['# nothing\n', null],
  ['image: {tag: "1"}\n', { image: { tag: '1' } }],
  ['a: 1\nb: [x]\n', { a: 1, b: ['x'] }],
])('the YAML %j says %j', (text, value) => {
  expect(readOverride(text, 'yaml')).toEqual({ value, problems: [] });
});

test.each([
  ['a: 1\na: 2\n', 5, 'unique'],
  ['a: [1\n', 6, ''],
  ['- a\n', 0, 'must be an object'],
  ['constructor: 1\n', 0, 'must not have a key named constructor'],
  ['a: .inf\n', 3, 'must be a finite number'],
  ['berth:\n  fields:\n    keep: 3\n', 27, 'must be a list of paths'],
])('the YAML %j is refused at %d: %s', (text, from, words) => {
  const { value, problems } = readOverride(text, 'yaml');
  expect(value).toBeUndefined();
  expect(problems[0]?.message).toContain(words);
  expect(problems[0]?.from).toBe(from);
});

test('JSON is read strictly, and says where it is wrong', () => {
  expect(readOverride('{"a": {"b": 1}}', 'json')).toEqual({ value: { a: { b: 1 } }, problems: [] });
  expect(readOverride('{a: 1}', 'json').problems[0]?.from).toBe(1);
});

test('aliases that multiply are refused before they fill the memory', () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level}: &l${level} [${`*l${level - 1}, `.repeat(level === 0 ? 0 : 10)}x]`,
  );
  expect(readOverride(levels.join('\n'), 'yaml').value).toBeUndefined();
});

test.each(['yaml', 'json'] as const)('what is written as %s reads as the same', (language) => {
  const value = { image: { tag: '1.0', pull: true }, list: [1, { a: null }] };
  expect(readOverride(overrideText(value, language), language).value).toEqual(value);
  expect(readOverride(overrideText(null, language), language).value).toBeNull();
});

test('an override with very many keys, which anybody may store, is read in linear time', () => {
  const msFor = (count: number): number => {
    const text = Array.from({ length: count }, (_, at) => `k${at}: 1`).join('\n');
    const before = performance.now();
    expect(Object.keys(readOverride(text, 'yaml').value ?? {})).toHaveLength(count);
    return performance.now() - before;
  };
  const [one, two] = [msFor(8_000), msFor(8_000)];

  expect(msFor(32_000)).toBeLessThan(10 * Math.max(one, two));
});

test.each([500, 5_000])('%d nested lists are refused without overflowing the stack', (depth) => {
  const { value, problems } = readOverride(`a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`, 'yaml');

  expect(value).toBeUndefined();
  expect(problems.length).toBeGreaterThan(0);
});
