import { describe, expect, test } from 'vitest';
import { claimsOfBoth, isComplete } from './claims-of-both.ts';

const ada = { email: 'ada@example.com', name: 'Ada', email_verified: true };

describe('an ID token is complete', () => {
  test.for([
    ['with e-mail, name and whether the e-mail was verified', ada, true],
    ['even if the e-mail was not verified', { ...ada, email_verified: false }, true],
    ['not without email_verified', { email: ada.email, name: ada.name }, false],
    ['not without a name', { ...ada, name: undefined }, false],
    ['not with an e-mail of null', { ...ada, email: null }, false],
    ['not with an empty name', { ...ada, name: ' ' }, false],
  ] as const)('%s', ([, claims, complete]) => {
    expect(isComplete(claims)).toBe(complete);
  });
});

test('claims found only in the user info count, such as an unverified e-mail', () => {
  const { email, name } = ada;

  expect(claimsOfBoth({ email, name }, { email_verified: false })).toEqual({ email, name, email_verified: false });
});

test('claims of the ID token take precedence, unless null', () => {
  expect(claimsOfBoth({ ...ada, email: null }, { email: ada.email, name: 'Somebody' })).toEqual(ada);
});
