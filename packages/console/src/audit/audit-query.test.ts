import { expect, test } from 'vitest';
import { addressTime, auditQuery, localTime } from './audit-query.ts';

const id = '0c5f9d8e-0000-4000-8000-000000000001';

test('every filter of the address becomes the filter of the API', () => {
  const address = {
    actor: id,
    token: id,
    object: id,
    env: id,
    resource: 'secrets',
    operation: 'update',
    result: 'denied',
    from: '2026-03-01T12:00:00Z',
    to: '2026-03-02T12:00:00Z',
    event: id,
  };
  expect(auditQuery(address)).toEqual({
    wrong: [],
    query: {
      actor_id: id,
      token_id: id,
      object_id: id,
      env_id: id,
      resource: 'secrets',
      operation: 'update',
      result: 'denied',
      from: '2026-03-01T12:00:00.000Z',
      to: '2026-03-02T12:00:00.000Z',
    },
  });
});

test('invalid ids and times are named, and left out of the query', () => {
  expect(auditQuery({ object: 'shop', from: 'yesterday', result: 'maybe' })).toEqual({
    wrong: ['object must be a whole id', 'from must be a date and a time'],
    query: {},
  });
});

test('a time survives being shown in the zone of the viewer', () => {
  expect(addressTime(localTime('2026-03-01T12:34:00.000Z'))).toBe('2026-03-01T12:34:00.000Z');
  expect(localTime(undefined)).toBe('');
  expect(addressTime('')).toBeNull();
});
