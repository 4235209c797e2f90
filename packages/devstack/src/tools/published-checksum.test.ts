import { expect, test } from 'vitest';
import { checksumIn } from './published-checksum.ts';

const [one, other] = ['1'.repeat(64), 'a'.repeat(64)];

test.for([
  ['a list as written by sha256sum', `${other}  other.tar.gz\n${one}  tool.tar.gz\n`, one],
  ['a list of binary files', `${one} *tool.tar.gz`, one],
  ['a list with folders', `${one}  ./release/tool.tar.gz`, one],
  ['the sum alone', `${one}\n`, one],
  ['a checksum in capitals', other.toUpperCase(), other],
  ['a list that lacks the file', `${other}  other.tar.gz`, undefined],
  ['a list with another file whose name ends the same', `${other}  my-tool.tar.gz`, undefined],
  ['a checksum that is too short', `${'1'.repeat(63)}  tool.tar.gz`, undefined],
  ['a page that is not a list', '<html>Not found</html>', undefined],
] as const)('a checksum is read from %s', ([, text, sum]) => {
  expect(checksumIn(text, 'tool.tar.gz')).toBe(sum);
});
