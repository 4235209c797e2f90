import { describe, expect, test } from 'vitest';
import { splitList } from './split-list.ts';

const split = (json: string) => {
  const { head, items } = splitList(Buffer.from(json));
  return { head, items: [...items] };
};

const odd = [
  { metadata: { name: 'a', labels: { items: '[1,2]', '"': '\\"]}', '\\': '\\\\' } }, items: [[{}], []] },
  { text: 'ü🚢\u2028 } ] , { [', nested: [[[]], [{ items: [] }]] },
  {},
  [],
  'a text with ], "items":[ and \\',
  { quote: '"', closes: ']' },
  null,
  -1.5e3,
  true,
];

describe('the items of a list', () => {
  test.for<[string, string]>([
    ['behind its metadata', JSON.stringify({ kind: 'List', metadata: { continue: 'x' }, items: odd })],
    ['before its metadata', JSON.stringify({ items: odd, metadata: { continue: 'x' }, kind: 'List' })],
    [
      'with spaces and lines between them',
      JSON.stringify({ metadata: { continue: 'x' }, kind: 'List', items: odd }, null, '\t '),
    ],
    [
      'behind texts and lists that only look like items',
      JSON.stringify({
        a: 'items',
        b: ['items', ['"items":[']],
        metadata: { continue: 'x', items: [1] },
        items: odd,
        kind: 'List',
      }),
    ],
  ])('are those of the parsed list: %s', ([, json]) => {
    const { items, ...rest } = JSON.parse(json);

    expect(split(json)).toEqual({ head: { ...rest, items: [] }, items });
    expect(items).toEqual(odd);
  });

  test.for([
    ['{"metadata":{},"items":[]}', { metadata: {}, items: [] }],
    ['{"metadata":{},"items": [ \n ] }', { metadata: {}, items: [] }],
    ['{"metadata":{},"items":null}', { metadata: {}, items: null }],
    ['{"metadata":{}}', { metadata: {} }],
    ['{"item":[1],"metadata":{"items":[2]}}', { item: [1], metadata: { items: [2] } }],
    ['[{"items":[1]}]', [{ items: [1] }]],
    ['"items"', 'items'],
    ['null', null],
  ] as const)('are empty for %s', ([json, head]) => {
    expect(split(json)).toEqual({ head, items: [] });
  });

  test('are parsed one by one, so a malformed one does not hide those before it', () => {
    const { items } = splitList(Buffer.from('{"items":[{"a":1},{"b":},{"c":3}]}'));
    const read: unknown[] = [];

    expect(() => {
      for (const item of items) read.push(item);
    }).toThrow(SyntaxError);
    expect(read).toEqual([{ a: 1 }]);
  });

  test('are refused if they are more than a page can have', () => {
    const json = (items: number) => `{"items":[${'0,'.repeat(items - 1)}0]}`;

    expect(split(json(50_000)).items).toHaveLength(50_000);
    expect(() => split(json(50_001))).toThrow('a page of a list has more than 50000 items');
  });

  test('are refused if the answer is cut off, wherever that is', () => {
    const json = JSON.stringify({ metadata: { resourceVersion: '1' }, items: odd });

    for (let length = 0; length < json.length; length += 1) {
      expect(() => split(json.slice(0, length)), json.slice(0, length)).toThrow(SyntaxError);
    }
  });
});
