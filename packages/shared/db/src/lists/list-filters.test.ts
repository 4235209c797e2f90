import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { statements } from '../postgres/pool/statements.ts';
import { contains, equals } from './list-filters.ts';

const name = sql.fragment`name`;

test('a search for a part of a text is planned each time, other filters are planned once', () => {
  const statementOf = statements();
  const fifthOf = (filter: (text: string) => ReturnType<typeof equals>) =>
    ['a', 'b', 'c', 'd', 'e']
      .map((text) => statementOf(sql.unsafe`select id from boats where ${filter(text) ?? sql.fragment`true`}`))
      .at(-1);

  expect(fifthOf((text) => equals(name, text))?.name).toBeDefined();
  expect(fifthOf((text) => contains(name, text))?.name).toBeUndefined();
});
