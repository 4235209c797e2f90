import { expect, test } from 'vitest';
import { checksumIn } from './published-checksum.ts';

const [one, other] = ['1'.repeat(64), 'a'.repeat(64)];

test.for([
  ['a list as sha256sum writes it', `${other}  other.tar.gz\n${one}  tool.tar.gz\n`, one],
  ['a list of binary files', `${one} *tool.tar.gz`, one],
  ['a list with folders', `${one}  ./release/tool.tar.gz`, one],
  ['the sum alone', `${one}\n`, one],
  ['a sum in capitals', other.toUpperCase(), other],
  ['a list without the file', `${other}  other.tar.gz`, undefined],
  ['a list of a file whose name only ends like it', `${other}  my-tool.tar.gz`, undefined],
  ['a sum that is too short', `${'1'.repeat(63)}  tool.tar.gz`, undefined],
  ['a page that is not a list', '<html>Not found</html>', undefined],
] as const)('a checksum is read from %s', ([, text, sum]) => {
  expect(checksumIn(text, 'tool.tar.gz')).toBe(sum);
});
