import { type FragmentSqlToken, sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import type { Queries } from '../database.ts';
import { statement } from '../statement.ts';
import { type Condition, contains, containsInLowerCase, equals, equalsIgnoringCase, inEnvs } from './list-filters.ts';
import { listPage } from './list-page.ts';

const Boat = z.strictObject({
  id: z.uuid(),
  created_at: z.iso.datetime(),
  name: z.string(),
  env_id: z.uuid().nullable(),
});
const name = sql.fragment`name`;
const envId = sql.fragment`env_id`;
const red = '00000000-0000-4000-8000-00000000000a';
const blue = '00000000-0000-4000-8000-00000000000b';

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase({
    service: 'cluster-sync',
    migrations: new URL('../test-migrations/', import.meta.url),
  });
});
afterAll(() => database?.[Symbol.asyncDispose]());
beforeEach(() => database.db.query(statement`truncate boats`));

const list = (request: ListRequest, ...where: Condition[]) =>
  listPage(database.db, {
    row: Boat,
    columns: sql.fragment`id, created_at, name, env_id`,
    from: sql.fragment`boats`,
    where,
    request,
    sortable: { name, created_at: sql.fragment`created_at` },
  });

const names = async (request: ListRequest, ...where: Condition[]) =>
  (await list(request, ...where)).items.map((boat) => boat.name);

/** Each row is newer than those before it. */
async function launch(...boats: string[]): Promise<void> {
  for (const [index, boat] of boats.entries()) {
    await database.db.query(statement`
      insert into boats (name, created_at)
      values (${boat}, timestamptz '2024-05-06 07:00:00Z' + ${index} * interval '1 second')
    `);
  }
}

describe('a list by page number', () => {
  test('lists the newest first, 50 to a page by default', async () => {
    await launch('a', 'b', 'c');

    expect(await list({})).toMatchObject({
      page: 1,
      per_page: 50,
      num_total: 3,
      items: [{ name: 'c' }, { name: 'b' }, { name: 'a', created_at: '2024-05-06T07:00:00.000Z' }],
    });
    expect(await list({})).not.toHaveProperty('next');
  });

  test.for([
    ['per_page', { per_page: 2, page: 2 }],
    ['page_size', { page_size: 2, page: 2 }],
  ] as const)('%s sets the size of a page', async ([, request]) => {
    await launch('a', 'b', 'c');

    expect(await list(request)).toMatchObject({ page: 2, per_page: 2, num_total: 3, items: [{ name: 'a' }] });
  });

  test('counts the filtered rows, even past the end and in an empty list', async () => {
    await launch('ab', 'b', 'abc');

    expect(await list({ per_page: 1 }, contains(name, 'a'))).toMatchObject({ num_total: 2, items: [{ name: 'abc' }] });
    expect(await list({ page: 9 }, contains(name, 'a'))).toMatchObject({ page: 9, num_total: 2, items: [] });
    expect(await list({}, contains(name, 'x'))).toMatchObject({ num_total: 0, items: [] });
  });

  test('sorts in both directions by its columns, and equal rows by id', async () => {
    await launch('b', 'c', 'a');
    await database.db.query(statement`update boats set created_at = '2024-01-01Z'`);

    expect(await names({ sort: 'name' })).toEqual(['a', 'b', 'c']);
    expect(await names({ sort: '-name' })).toEqual(['c', 'b', 'a']);
    const ids = (await list({ sort: 'created_at' })).items.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    await expect(list({ sort: 'weight' })).rejects.toThrow('cannot sort by weight');
  });
});

describe('the rows of a list', () => {
  /** Fails as soon as it is computed. */
  const counted = sql.fragment`boats join (select 1 / (count(*) - count(*)) as x from boats) as failure on x = 1`;
  const page = (request: ListRequest) =>
    listPage(database.db, {
      row: Boat,
      columns: sql.fragment`id, created_at, name, env_id`,
      from: sql.fragment`boats`,
      counted,
      where: [],
      request,
    });

  test('are not counted if the page shows how many there are', async () => {
    await launch('a', 'b', 'c');

    expect(await page({})).toMatchObject({ num_total: 3 });
    expect(await page({ per_page: 3 })).toMatchObject({ num_total: 3 });
    expect(await page({ per_page: 2, page: 2 })).toMatchObject({ num_total: 3, items: [{ name: 'a' }] });
    expect(await page({ per_page: 3, after: '' })).toMatchObject({ num_total: 3, next: null });
    await expect(page({ per_page: 2 })).rejects.toThrow('data error 22012');
  });
});

describe('columns of a page', () => {
  const Numbered = Boat.extend({ length: z.number() });
  /** Fails for a row that is not on the page. */
  const columnsOfPage = sql.fragment`case page.name when 'skipped' then 1 / (length(page.name) - 7) else length(page.name) end as length`;
  const page = (request: ListRequest, bytes?: FragmentSqlToken) =>
    listPage(database.db, {
      row: Numbered,
      columns: sql.fragment`id, created_at, name, env_id`,
      columnsOfPage,
      from: sql.fragment`boats`,
      where: [],
      request,
      ...(bytes && { bytes }),
    });

  test.for([['rows of any size'], ['rows of a known size']])('are computed for its rows only: %s', async ([name]) => {
    await launch('last', 'an', 'skipped');
    const bytes = name === 'rows of any size' ? undefined : sql.fragment`100`;
    const expected = { num_total: 3, items: [{ name: 'an', length: 2 }] };

    expect(await page({ per_page: 1, page: 2 }, bytes)).toMatchObject(expected);
    await expect(page({ per_page: 1 }, bytes)).rejects.toThrow('data error 22012');
    const cursor = await page({ per_page: 1, page: 3 }, bytes);
    expect(cursor).toMatchObject({ items: [{ name: 'last', length: 4 }] });
  });

  test('are there in a walk by keyset', async () => {
    await launch('abc', 'ab');

    const first = await page({ per_page: 1, after: '' });
    const second = await page({ per_page: 1, after: first.next ?? '' });
    expect([...first.items, ...second.items]).toMatchObject([{ length: 2 }, { length: 3 }]);
  });
});

describe('a list filter by env', () => {
  test('selects one of the visible envs', async () => {
    await launch('red', 'blue', 'nobody');
    await database.db.query(statement`update boats set env_id = ${red} where name = 'red'`);
    await database.db.query(statement`update boats set env_id = ${blue} where name = 'blue'`);

    expect(await names({}, inEnvs(envId, [red, blue], red))).toEqual(['red']);
    expect(await names({}, inEnvs(envId, [blue], red))).toEqual([]);
    expect(await names({}, inEnvs(envId, [blue], null))).toEqual([]);
    expect(await names({}, inEnvs(envId, [red, blue]))).toEqual(['blue', 'red']);
    expect(await names({}, inEnvs(envId, 'all', blue))).toEqual(['blue']);
    expect(await names({}, inEnvs(envId, 'all', null))).toEqual(['nobody']);
  });
});

describe('list rows too large for one answer', () => {
  /** Each name is repeated 800,000 times; five of them exceed an answer. */
  const heavy = async (request: ListRequest, bytes?: FragmentSqlToken, queries: Queries = database.db) => {
    const columns = sql.fragment`id, created_at, repeat(name, 800000) as name, env_id`;
    const options = { row: Boat, columns, from: sql.fragment`boats`, where: [], request };
    const page = await listPage(queries, { ...options, ...(bytes && { bytes }) });
    return { letters: page.items.map((boat) => boat.name[0]).join(''), next: page.next };
  };
  beforeEach(() => launch('e', 'd', 'c', 'b', 'a'));

  test('are refused by page number, with the number that fits', async () => {
    await expect(heavy({})).rejects.toMatchObject({ code: 'too_large', errors: [{ path: 'query.per_page' }] });
    await expect(heavy({})).rejects.toThrow('must be at most 3');
    expect(await heavy({ per_page: 3 })).toMatchObject({ letters: 'abc' });
  });

  test('are not read if the table stores their size', async () => {
    let read = 0;
    const counting: Queries = {
      ...database.db,
      any: async (query) => {
        const rows = await database.db.any(query);
        read += rows.length;
        return rows;
      },
    };
    const bytes = sql.fragment`800000`;

    expect(await heavy({ after: '' }, bytes, counting)).toMatchObject({ letters: 'abc', next: expect.any(String) });
    expect(read).toBe(3);
    await expect(heavy({}, bytes, counting)).rejects.toThrow('must be at most 3');
    expect(read).toBe(6);
    expect(await heavy({ per_page: 100, after: '' }, sql.fragment`4000000`, counting)).toMatchObject({ letters: 'a' });
    expect(read).toBe(7);
  });

  test('come in smaller pages by keyset, and the walk skips none', async () => {
    const first = await heavy({ after: '' });
    expect(first.letters).toBe('abc');
    expect(await heavy({ after: first.next ?? '' })).toEqual({ letters: 'de', next: null });
  });
});

describe('a list by keyset', () => {
  test('ends with next null', async () => {
    await launch('a', 'b', 'c', 'd');

    const first = await list({ after: '', per_page: 2 });
    expect(first).toMatchObject({ page: 1, num_total: 4, items: [{ name: 'd' }, { name: 'c' }] });
    const second = await list({ after: first.next ?? '', per_page: 2 });
    expect(second).toMatchObject({ page: 1, num_total: 4, items: [{ name: 'b' }, { name: 'a' }], next: null });
  });

  test('counts past the end', async () => {
    await launch('a', 'b');
    const { next } = await list({ after: '', per_page: 1 });
    await database.db.query(statement`delete from boats where name = 'a'`);

    expect(await list({ after: next ?? '' })).toMatchObject({ num_total: 1, items: [], next: null });
    await database.db.query(statement`delete from boats`);
    expect(await list({ after: '' })).toMatchObject({ num_total: 0, items: [], next: null });
  });

  test('returns each existing row exactly once while others are added and deleted', async () => {
    // Many rows share a millisecond, and some differ only in microseconds.
    await database.db.query(statement`
      insert into boats (name, created_at)
      select 'old ' || i, timestamptz '2024-05-06 07:00:00Z' + (i / 10) * interval '1 microsecond'
      from generate_series(1, 200) i
    `);
    await database.db.query(
      statement`insert into boats (name) select 'short-lived ' || i from generate_series(1, 20) i`,
    );

    const names: string[] = [];
    let after: string | null | undefined = '';
    for (let page = 0; typeof after === 'string'; page += 1) {
      const { items, next } = await list({ after, per_page: 7 });
      names.push(...items.map((boat) => boat.name));
      after = next;
      await database.db.query(statement`insert into boats (name) values (${`new ${page}`})`);
      await database.db.query(statement`
        insert into boats (name, created_at) values (${`backdated ${page}`}, timestamptz '2024-05-06 07:00:00.000010Z')
      `);
      await database.db.query(statement`delete from boats where name = ${`short-lived ${page}`}`);
    }

    const old = names.filter((boat) => boat.startsWith('old '));
    expect(old).toHaveLength(200);
    expect(new Set(names).size).toBe(names.length);
  });

  test.for([
    ['no base64', '%%%'],
    ['no cursor', Buffer.from('hello').toString('base64url')],
    ['a time that is not a number', Buffer.from('now() 00000000-0000-4000-8000-00000000000a').toString('base64url')],
    ['an invalid id', Buffer.from('1714979401000000 1').toString('base64url')],
    ['too many parts', Buffer.from('1 00000000-0000-4000-8000-00000000000a 1').toString('base64url')],
    [
      'a time out of range',
      Buffer.from('9223372036854775808 00000000-0000-4000-8000-00000000000a').toString('base64url'),
    ],
    [
      'a time before the first that can be stored',
      Buffer.from('-210866803200000001 00000000-0000-4000-8000-00000000000a').toString('base64url'),
    ],
  ] as const)('refuses a cursor that is %s', async ([, after]) => {
    await expect(list({ after })).rejects.toMatchObject({ code: 'invalid', errors: [{ path: 'query.after' }] });
  });

  test('walks over times of every age, to the microsecond', async () => {
    const times = [
      'infinity',
      '294246-12-31 23:59:59.999999Z',
      '9999-12-31 23:59:59.999999Z',
      '9999-12-31 23:59:59.999998Z',
      '2255-06-06 00:00:00.000001Z',
      '2255-06-06Z',
      '1970-01-01Z',
      '1969-12-31 23:59:59.999999Z',
      '0001-01-01Z',
      '0044-03-15 BC',
      '4713-01-01 BC',
      '-infinity',
    ];
    for (const time of times) {
      await database.db.query(statement`insert into boats (name, created_at) values (${time}, ${time}::timestamptz)`);
    }

    const names: string[] = [];
    for (let after: string | null | undefined = ''; typeof after === 'string'; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ after, per_page: 1 });
      names.push(...page.items.map((boat) => boat.name));
      after = page.next;
    }
    expect(names).toEqual(times);
  });
});

describe('a list filter', () => {
  test('contains matches part of a text in any case, with % and _ as literal characters', async () => {
    await launch('100% Wool', 'a_b', 'axb', 'Ärmelkanal');

    expect(await names({}, contains(name, 'wool'))).toEqual(['100% Wool']);
    expect(await names({}, contains(name, '%'))).toEqual(['100% Wool']);
    expect(await names({}, contains(name, '_'))).toEqual(['a_b']);
    expect(await names({}, contains(name, 'ä'))).toEqual(['Ärmelkanal']);
    expect(await names({}, contains(name, ''))).toHaveLength(4);
    expect(await names({}, contains(name, undefined))).toHaveLength(4);
  });

  test('containsInLowerCase matches part of a text in lower case, ignoring the case of that part', async () => {
    await launch('wool-1', 'w_1', 'silk-1');

    expect(await names({}, containsInLowerCase(name, 'OOL-'))).toEqual(['wool-1']);
    expect(await names({}, containsInLowerCase(name, '_'))).toEqual(['w_1']);
    expect(await names({}, containsInLowerCase(name, undefined))).toHaveLength(3);
  });

  test('equalsIgnoringCase matches the whole text', async () => {
    await launch('Prod', 'production');

    expect(await names({}, equalsIgnoringCase(name, 'pROD'))).toEqual(['Prod']);
    expect(await names({}, equalsIgnoringCase(name, undefined))).toHaveLength(2);
  });

  test('equals with null selects the rows without a value', async () => {
    await launch('free', 'owned');
    await database.db.query(statement`update boats set env_id = ${red} where name = 'owned'`);

    expect(await names({}, equals(envId, null))).toEqual(['free']);
    expect(await names({}, equals(envId, red))).toEqual(['owned']);
    expect(await names({}, equals(envId, blue))).toEqual([]);
    expect(await names({}, equals(envId, undefined))).toHaveLength(2);
  });

  test('inEnvs keeps the rows of envs visible to the caller', async () => {
    await launch('red', 'blue', 'nobody');
    await database.db.query(statement`update boats set env_id = ${red} where name = 'red'`);
    await database.db.query(statement`update boats set env_id = ${blue} where name = 'blue'`);

    expect(await names({}, inEnvs(envId, [red]))).toEqual(['red']);
    expect(await names({}, inEnvs(envId, []))).toEqual([]);
    expect(await names({}, inEnvs(envId, 'all'))).toHaveLength(3);
  });

  test('can be combined with other conditions by AND', async () => {
    await launch('aa', 'ab', 'bb');

    expect(await names({}, contains(name, 'a'), contains(name, 'b'))).toEqual(['ab']);
  });
});
