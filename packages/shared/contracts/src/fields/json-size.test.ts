import { expect, test } from 'vitest';
import { jsonSizeOf } from './json-size.ts';

const unlimited = { depth: Infinity, members: Infinity };
const sizeOf = (text: string, limits = unlimited) => jsonSizeOf(Buffer.from(text), limits);

test.for([
  ['a single value', '7', 0, 0],
  ['an empty object', ' { } ', 1, 0],
  ['an array of empty objects and arrays', '[[],{},[ ]]', 2, 3],
  ['an object in an object', '{"a":{"b":1,"c":[2,3]}}', 3, 5],
  ['braces, commas and quotes in text', '["{[,\\"]}", "\\\\", ","]', 1, 3],
  ['text that is not ASCII', '{"ü":"😀,😀"}', 1, 1],
  ['white space everywhere', '\n[\t1 ,\r\n2 ]', 1, 2],
  ['text that never ends', '["abc', 1, 1],
] as const)('levels and members are counted in %s', ([, text, depth, members]) => {
  expect(sizeOf(text)).toEqual({ depth, members });
});

test.for([
  ['members', `[${'0,'.repeat(500_000)}0]`, { depth: 64, members: 100 }, { depth: 1, members: 101 }],
  ['levels', '['.repeat(500_000), { depth: 64, members: 100 }, { depth: 65, members: 64 }],
] as const)('counting stops at the first byte that exceeds the limit of %s', ([, text, limits, size]) => {
  let bytesRead = 0;
  const bytes = new Proxy(Buffer.from(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) bytesRead += 1;
      return Reflect.get(target, key, target);
    },
  });

  expect(jsonSizeOf(bytes, limits)).toEqual(size);
  expect(bytesRead).toBeLessThan(300);
});
