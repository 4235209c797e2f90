import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { statements } from './statements.ts';

const find = (id: number) => sql.unsafe`select name from boats where id = ${id} and ${sql.fragment`weight > ${7}`}`;

test('a repeated statement is prepared under one name', () => {
  const statementOf = statements();
  const text = 'select name from boats where id = $1 and weight > $2';

  expect(statementOf(find(1))).toEqual({ text, values: [1, 7] });
  statementOf(find(2));
  statementOf(find(3));
  expect(statementOf(find(4))).toEqual({ text, values: [4, 7], name: 's0' });
});

test('another statement has another name', () => {
  const statementOf = statements();
  const texts = ['select 1', 'select 2'];
  for (let i = 0; i < 3; i += 1) for (const text of texts) statementOf({ sql: text, values: [] });

  const names = texts.map((text) => statementOf({ sql: text, values: [] }).name);
  expect(new Set(names)).toEqual(new Set(['s0', 's1']));
});

test('the number of prepared statements is bounded', () => {
  const statementOf = statements();
  const names = new Set<string | undefined>();
  for (let i = 0; i < 5_000; i += 1) {
    for (let again = 0; again < 4; again += 1) names.add(statementOf({ sql: `select ${i}`, values: [] }).name);
  }

  expect(names.size - 1).toBe(200);
});
