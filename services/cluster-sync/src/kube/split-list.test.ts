import { describe, expect, test, vi } from 'vitest';
import { ListTooLarge } from './list-too-large.ts';
import { splitList } from './split-list.ts';

const split = async (json: string) => {
  const { head, items, left } = await splitList(Buffer.from(json));
  return { head, items: [...items], left };
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
      'after texts and lists that only look like items',
      JSON.stringify({
        a: 'items',
        b: ['items', ['"items":[']],
        metadata: { continue: 'x', items: [1] },
        items: odd,
        kind: 'List',
      }),
    ],
  ])('are those of the parsed list: %s', async ([, json]) => {
    const { items, ...rest } = JSON.parse(json);

    expect(await split(json)).toEqual({ head: { ...rest, items: [] }, items, left: 0 });
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
  ] as const)('are empty for %s', async ([json, head]) => {
    expect(await split(json)).toEqual({ head, items: [], left: 0 });
  });

  test('are parsed one by one, so a malformed one does not hide those before it', async () => {
    const { items } = await splitList(Buffer.from('{"items":[{"a":1},{"b":},{"c":3}]}'));
    const read: unknown[] = [];

    expect(() => {
      for (const item of items) read.push(item);
    }).toThrow(SyntaxError);
    expect(read).toEqual([{ a: 1 }]);
  });

  test('are refused if there are more of them than a page may have', async () => {
    const json = (items: number) => `{"items":[${'0,'.repeat(items - 1)}0]}`;

    expect((await split(json(50_000))).items).toHaveLength(50_000);
    await expect(split(json(50_001))).rejects.toThrow('a page of a list has more than 50000 items');
  });

  test('are refused if the answer is cut off anywhere', async () => {
    const json = JSON.stringify({ metadata: { resourceVersion: '1' }, items: odd });

    for (let length = 0; length < json.length; length += 1) {
      await expect(split(json.slice(0, length)), json.slice(0, length)).rejects.toThrow(SyntaxError);
    }
  });

  test('that exceed the limits of an object are left out, and the others are read', async () => {
    const many = `[${'0,'.repeat(100_000)}0]`;
    const deep = `${'['.repeat(129)}${']'.repeat(129)}`;
    const long = `"${'x'.repeat(3 * 1024 * 1024)}"`;

    expect(await split(`{"items":[1,${many},2,${deep},3,${long},4]}`)).toMatchObject({ items: [1, 2, 3, 4], left: 3 });
  });

  test('are refused if they have more members together than a page may have', async () => {
    const item = `[${'0,'.repeat(40_000)}0]`;

    await expect(split(`{"items":[${`${item},`.repeat(25)}0]}`)).rejects.toThrow('more than 1000000 members');
  });
});

describe('a list with too much around its items', () => {
  const empty = '[],'.repeat(10_000_000);
  test.for([
    ['many members before them', `{"x":[${'0,'.repeat(1_000)}0],"items":[]}`],
    ['many members after them', `{"items":[],"x":[${'0,'.repeat(1_000)}0]}`],
    ['many levels', `{"x":${'['.repeat(200)}${']'.repeat(200)},"items":[]}`],
    ['30 MB of empty arrays before them', `{"x":[${empty}0],"items":[]}`],
    ['30 MB of empty arrays after them', `{"items":[],"x":[${empty}0]}`],
    ['30 MB of empty arrays and no items', `{"x":[${empty}0]}`],
    ['one text of 30 MB', `{"x":"${'x'.repeat(30_000_000)}","items":[]}`],
  ])('is refused without parsing it: %s', async ([, json = '']) => {
    const bytes = Buffer.from(json);
    using parse = vi.spyOn(JSON, 'parse');

    await expect(splitList(bytes)).rejects.toThrow(ListTooLarge);

    expect(parse).not.toHaveBeenCalled();
  });
});
