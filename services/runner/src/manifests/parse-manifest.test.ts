import { expect, test } from 'vitest';
import { parseManifest } from './parse-manifest.ts';

const contentsOf = (text: string) => parseManifest(text).objects.map(({ content }) => content);

test('a manifest is read as Helm reads it: YAML 1.1 without its special types', () => {
  const [read] = contentsOf(`---
# Source: web/templates/a.yaml
a: yes
b: "yes"
mode: 0644
date: 2026-01-01
time: 12:30
text: |
  one
  two
base: &base {x: 1}
merged:
  <<: *base
`);

  expect(read).toEqual({
    a: true,
    b: 'yes',
    mode: 420,
    date: '2026-01-01',
    time: '12:30',
    text: 'one\ntwo\n',
    base: { x: 1 },
    merged: { x: 1 },
  });
});

test('each document and each item of a List is an object; comments and empty documents are not', () => {
  expect(
    contentsOf('# only words\n---\na: 1\n--- # two\nkind: ConfigMapList\nitems: [{b: 2}, {c: 3}]\n---\n\n'),
  ).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
});

test('an object with items is read as a list whatever its kind is, as in Helm', () => {
  expect(contentsOf('kind: ConfigMap\nitems: [{b: 2}]\n')).toEqual([{ b: 2 }]);
});

test.for<[string, boolean]>([
  ['a: {<<: {x: 1}, x: 2}', false],
  ['a: {x: 2, <<: {x: 1}}', true],
  ['x: 2\n<<: {x: 1}', true],
  ['data: {x: 2, <<: {x: 1}}', false],
])('a merge after other keys is ambiguous, unless only pods read it: %s', ([text, isAmbiguous]) => {
  expect(parseManifest(text).objects[0]?.isAmbiguous).toBe(isAmbiguous);
});

test('each document of a file of the folder crds is recognized, whatever comments it has, and templates never are', () => {
  // The second document was printed by Helm once, and moved into the folder.
  const file = 'a: 1\n---\n# Source: web/templates/ship.yaml\na: 2\n';
  const rendered = `---\n# Source: web/crds/all.yaml\n${file}\n---\n# Source: web/templates/ship.yaml\na: 3\n`;
  const isCrdFile = (crds: string) => parseManifest(rendered, crds).objects.map((object) => object.isCrdFile);

  expect(isCrdFile(`---\n${file}\n---\na: 4\n`)).toEqual([true, true, false]);
  expect(isCrdFile('')).toEqual([false, false, false]);
});

test('invalid YAML, numbers that JSON lacks and exploding aliases are counted, and the rest is read', () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
  for (const [from, to] of ['ab', 'bc', 'cd', 'de'].map((pair) => pair.split(''))) {
    bomb.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(',')}]`);
  }

  const { objects, unreadable } = parseManifest(`a: [\n---\na: .inf\n---\n${bomb.join('\n')}\n---\nb: 1\n`);

  expect(unreadable).toBe(3);
  expect(objects).toEqual([{ content: { b: 1 }, isCrdFile: false, isAmbiguous: false }]);
});
