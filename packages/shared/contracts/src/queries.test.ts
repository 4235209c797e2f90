import { describe, expect, test } from 'vitest';
import { operationNamed, refused } from '@berth/testing/contracts/refused-fields';

const id = '6b0e4b1c-2222-4222-8222-222222222222';

describe('queries', () => {
  const query = (name: string, sent: object) => operationNamed(name).request.parse({ query: sent });

  test('are parsed from strings into values', () => {
    const sent = { enabled: 'false', page: '2', per_page: '100', kind_id: id };

    expect(query('deployments.list', sent)).toEqual({ query: { enabled: false, page: 2, per_page: 100, kind_id: id } });
  });

  test('include future tasks by default', () => {
    expect(query('deployment_tasks.list', {})).toEqual({ query: { show_future: true } });
    expect(query('deployment_tasks.list', { show_future: 'false' })).toEqual({ query: { show_future: false } });
  });

  test('take the word null for ids that may be null, and only for those', () => {
    expect(query('k8s_clusters.list', { env_id: 'null' })).toEqual({ query: { env_id: null } });
    expect(refused('deployments.list', { query: { env_id: 'null' } })).toEqual(['query.env_id: must be a UUID']);
  });

  test('take ids as text with commas, as over HTTP, and as an array', () => {
    const other = id.replace('2222', '3333');

    expect(query('deployments.list', { ids: id })).toEqual({ query: { ids: [id] } });
    expect(query('deployments.list', { ids: `${id.toUpperCase()},${other}` })).toEqual({ query: { ids: [id, other] } });
    expect(query('deployments.list', { ids: [id, other] })).toEqual({ query: { ids: [id, other] } });
    expect(query('deployments.list', { ids: Array(100).fill(id).join() })).toEqual({
      query: { ids: Array(100).fill(id) },
    });
  });

  test.for([
    ['no text', ''],
    ['a word', 'x'],
    ['a broken one among others', `${id},x`],
    ['a comma at the end', `${id},`],
    ['a space after the comma', `${id}, ${id}`],
    ['101', Array(101).fill(id).join()],
    ['no id', []],
    ['101 in an array', Array(101).fill(id)],
    ['lists of lists', [`${id},${id}`]],
    ['a number', 7],
  ] as const)('refuse ids that are %s, once', ([, ids]) => {
    expect(refused('deployments.list', { query: { ids } })).toEqual([
      'query.ids: must be 1 to 100 UUIDs, separated by commas',
    ]);
  });

  test('may be left out', () => {
    expect(operationNamed('deployments.list').request.parse({})).toEqual({ query: {} });
  });

  test.for([
    ['a page below 1', { page: '0' }, 'query.page: must be a whole number from 1 to 1000000'],
    ['more than 100 on a page', { per_page: '101' }, 'query.per_page: must be a whole number from 1 to 100'],
    ['more than 100 by the other name', { page_size: '101' }, 'query.page_size: must be a whole number from 1 to 100'],
    ['a broken number', { page: '1.5' }, 'query.page: must be a whole number from 1 to 1000000'],
    ['a flag that is not true or false', { enabled: 'yes' }, 'query.enabled: must be true or false'],
    ['a value twice', { name: ['a', 'b'] }, 'query.name: Invalid input: expected string, received array'],
    [
      'a column that is not sorted by',
      { sort: 'config' },
      'query.sort: must be one of created_at, -created_at, name, -name, status, -status, enabled, -enabled, health, -health',
    ],
    ['a position together with a page', { after: '', page: '2' }, 'query.after: cannot be combined with page or sort'],
    [
      'a position together with an order',
      { after: '', sort: 'name' },
      'query.after: cannot be combined with page or sort',
    ],
    ['an unknown status', { status: 'Fine' }, expect.stringMatching(/^query\.status: /)],
  ] as const)('refuse %s', ([, sent, error]) => {
    expect(refused('deployments.list', { query: sent })).toEqual([error]);
  });

  test('never sort by e-mail', () => {
    expect(refused('users.list', { query: { sort: 'email' } })).toHaveLength(1);
  });
});
