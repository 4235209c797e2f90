import { describe, expect, test } from 'vitest';
import { etagOf, fitsIfMatch } from './etag.ts';

const boats = { etag: ['name', 'rig'] };

describe('etagOf', () => {
  const tag = etagOf(boats, { name: 'Ada', rig: { masts: 2, sails: ['jib'] } });

  test('is a strong tag', () => {
    expect(tag).toMatch(/^"[\w-]{27}"$/);
  });

  test('does not depend on the order of keys, at any depth', () => {
    expect(etagOf(boats, { rig: { sails: ['jib'], masts: 2 }, name: 'Ada' })).toBe(tag);
  });

  test('ignores fields that users cannot change', () => {
    expect(etagOf(boats, { name: 'Ada', rig: { masts: 2, sails: ['jib'] }, last_seen_at: 'now' })).toBe(tag);
  });

  test.for([
    ['a value', { name: 'Bea', rig: { masts: 2, sails: ['jib'] } }],
    ['a type', { name: 'Ada', rig: { masts: '2', sails: ['jib'] } }],
    ['the position of a value', { name: { masts: 2, sails: ['jib'] }, rig: 'Ada' }],
    ['a list', { name: 'Ada', rig: { masts: 2, sails: ['jib', 'jib'] } }],
    ['null for absent', { name: 'Ada', rig: null }],
  ] as const)('changes with %s', ([, row]) => {
    expect(etagOf(boats, row)).not.toBe(tag);
  });

  test('is the same for undefined and absent', () => {
    expect(etagOf(boats, { name: 'Ada', rig: { a: undefined } })).toBe(etagOf(boats, { name: 'Ada', rig: {} }));
  });

  test('is null for a resource without fields that users can change', () => {
    expect(etagOf({}, { name: 'Ada' })).toBeNull();
  });
});

describe('fitsIfMatch', () => {
  test.for([
    ['"a"', '"a"', true],
    ['"b", "a"', '"a"', true],
    ['*', '"a"', true],
    ['*', null, true],
    ['"b"', '"a"', false],
    ['W/"a"', '"a"', false],
    ['a', '"a"', false],
    ['', '"a"', false],
    ['"a"', null, false],
  ] as const)('%s against %s is %s', ([ifMatch, etag, fits]) => {
    expect(fitsIfMatch(ifMatch, etag)).toBe(fits);
  });
});
