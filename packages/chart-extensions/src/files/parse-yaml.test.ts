import { expect, test } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

const text = `# a comment
name: web
inputs:
  - id: a
    type: text
  -
    id: b
base: &base
  x: 1
copy: *base
`;

test.for([
  [['name'], 2],
  [['inputs'], 3],
  [['inputs', 0], 4],
  [['inputs', 0, 'type'], 5],
  [['inputs', 1, 'id'], 7],
  [['inputs', 1, 'label'], 7],
  [['inputs', 2], 3],
  [['inputs', 'x'], 3],
  [['copy', 'x'], 10],
  [['name', 'x'], 2],
  [[], 2],
] as [PropertyKey[], number][])('the line of %j is %i: its own, or that of the field around it', ([parts, line]) => {
  const yaml = parseYaml(text);
  const [document] = yaml?.documents ?? [];

  expect(document && yaml?.lineOf(document, parts)).toBe(line);
});

test('a later document has its lines in the file', () => {
  const yaml = parseYaml('a: 1\n---\nb: 2\nc: 3\n');
  const second = yaml?.documents[1];

  expect(second && yaml?.lineOf(second, ['c'])).toBe(4);
});

test.for(['', '# only a comment', '\n'])('%j is empty', (empty) => {
  expect(parseYaml(empty)?.documents[0]?.contents ?? null).toBeNull();
});
