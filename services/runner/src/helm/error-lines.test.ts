import { expect, test } from 'vitest';
import { createErrorLines } from './error-lines.ts';

const asIs = (line: string) => [line];

test('the last lines are kept', () => {
  const errors = createErrorLines(asIs);

  for (let index = 0; index < 1_000; index += 1) errors.add(`line ${index}`);

  expect(errors.lines).toHaveLength(100);
  expect(errors.lines.at(-1)).toBe('line 999');
});

test("Helm's hint at its own options, which users cannot set, is left out", () => {
  const errors = createErrorLines(asIs);

  const shown = ['Error: no image', '', 'Use --debug flag to render out invalid YAML'].map((one) => errors.add(one));

  expect(shown).toEqual([true, true, false]);
  expect(errors.lines).toEqual(['Error: no image', '']);
});

test.for(['fatal error: runtime: out of memory', 'fatal error: runtime: cannot allocate memory'])(
  'a crash for lack of memory is recognized by its first line, and its stacks are left out: %s',
  (line) => {
    const errors = createErrorLines(asIs);

    const shown = ['level=WARN msg=x', line, 'runtime stack:', 'runtime.throw(…)'].map((one) => errors.add(one));

    expect(shown).toEqual([true, true, false, false]);
    expect(errors.lines.at(-1)).toBe(line);
    expect(errors.wasOutOfMemory(2)).toBe(true);
  },
);

test('a chart that fails with the message of such a crash is not mistaken for one', () => {
  const errors = createErrorLines(asIs);
  errors.add('Error: execution error at (x/templates/a.yaml:1:3): ');
  errors.add('fatal error: runtime: out of memory');

  expect(errors.wasOutOfMemory(1)).toBe(false);
});
