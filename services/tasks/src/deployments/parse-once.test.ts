import { expect, test } from 'vitest';
import { parseOnce } from './parse-once.ts';

const roomy = { entries: 100, bytes: 1_000_000 };

function counted(most = roomy) {
  const parsed: unknown[] = [];
  const parse = parseOnce((document) => {
    parsed.push(document['name']);
    return { name: document['name'] };
  }, most);
  return { parse, parsed };
}

test('a document that is read again is not parsed again', () => {
  const { parse, parsed } = counted();

  const first = parse({ name: 'a' });

  expect(parse({ name: 'a' })).toBe(first);
  expect(parsed).toEqual(['a']);
});

test('a document whose content has changed is parsed again', () => {
  const { parse, parsed } = counted();

  expect(parse({ name: 'a', inputs: [1] })).not.toBe(parse({ name: 'a', inputs: [2] }));
  expect(parsed).toHaveLength(2);
});

test('documents beyond the maximum number are evicted, the least recently read first', () => {
  const { parse, parsed } = counted({ ...roomy, entries: 2 });

  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) parse({ name });

  expect(parsed).toEqual(['a', 'b', 'c', 'b']);
});

test('documents beyond the maximum size are evicted, the least recently read first', () => {
  const { parse, parsed } = counted({ ...roomy, bytes: 100 });
  const half = (name: string) => ({ name, text: 'x'.repeat(25) });

  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) parse(half(name));

  expect(parsed).toEqual(['a', 'b', 'c', 'b']);
});

test('a document that is larger than the whole cache is not kept and does not evict others', () => {
  const { parse, parsed } = counted({ ...roomy, bytes: 100 });
  const large = { name: 'large', text: 'x'.repeat(100) };

  for (const document of [{ name: 'a' }, { name: 'b' }, large, large, { name: 'a' }, { name: 'b' }]) parse(document);

  expect(parsed).toEqual(['a', 'b', 'large', 'large']);
});

test('a document that does not parse is refused each time', () => {
  const parse = parseOnce(() => {
    throw new Error('no form');
  }, roomy);

  expect(() => parse({})).toThrow('no form');
  expect(() => parse({})).toThrow('no form');
});
