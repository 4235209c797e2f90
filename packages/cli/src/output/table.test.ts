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

test('columns stay aligned behind wide letters, which are cut as a whole', () => {
  const rows = [
    ['NAME', 'ENV'],
    ['東京タワー', '本番'],
    ['web', 'prod'],
  ];

  expect(table(rows)).toEqual(['NAME        ENV', '東京タワー  本番', 'web         prod']);
  expect(table(rows, { columns: 14 })).toEqual(['NAME      ENV', '東京タ…   本番', 'web       prod']);
});

test('a cell cannot move the cursor of the terminal', () => {
  expect(table([['NAME'], ['a\u001b[2Jb\nc']])).toEqual(['NAME', 'a\ufffd[2Jb\ufffdc']);
});

test.for([
  [30, ['NAME  MESSAGE', 'web   the image cannot be pul…', 'api   fine']],
  [12, ['NAME  MESSA…', 'web   the i…', 'api   fine']],
  [200, ['NAME  MESSAGE', 'web   the image cannot be pulled', 'api   fine']],
] as const)('the widest column is cut so that lines fit into %d columns', ([columns, lines]) => {
  const rows = [
    ['NAME', 'MESSAGE'],
    ['web', 'the image cannot be pulled'],
    ['api', 'fine'],
  ];

  expect(table(rows, { columns })).toEqual(lines);
});
