import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns are aligned by their widest cell, without blanks at the end of lines', () => {
  expect(
    table([
      ['NAME', 'STATUS'],
      ['web', 'Running'],
      ['überlang', ''],
    ]),
  ).toEqual(['NAME      STATUS', 'web       Running', 'überlang']);
});

test('a cell cannot move the cursor of the terminal', () => {
  expect(table([['NAME'], ['a\u001b[2Jb\nc']])).toEqual(['NAME', 'a\ufffd[2Jb\ufffdc']);
});
