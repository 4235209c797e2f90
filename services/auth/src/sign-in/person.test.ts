import { describe, expect, test } from 'vitest';
import { personFrom } from './person.ts';

const claims = {
  iss: 'https://id.example.com',
  sub: 'ada-1',
  email: 'Ada@Example.com',
  email_verified: true,
  name: 'Ada Lovelace',
};

describe('the person behind a login', () => {
  test('is identified by the claims', () => {
    expect(personFrom(claims)).toEqual({
      issuer: 'https://id.example.com',
      subject: 'ada-1',
      email: 'Ada@Example.com',
      displayName: 'Ada Lovelace',
    });
  });

  test('may come from a provider without email_verified', () => {
    const { email_verified: _, ...withoutFlag } = claims;

    expect(personFrom(withoutFlag).email).toBe('Ada@Example.com');
  });

  test.for([
    ['without a subject', { sub: undefined }, 'no usable subject'],
    ['with an empty subject', { sub: '' }, 'no usable subject'],
    ['with NUL in the subject', { sub: 'ada\u0000' }, 'no usable subject'],
    ['with half of a surrogate pair in the subject', { sub: 'ada\ud83d' }, 'no usable subject'],
    ['with a subject longer than OpenID Connect allows', { sub: 'a'.repeat(256) }, 'no usable subject'],
    ['without an e-mail', { email: undefined }, 'no e-mail'],
    ['with an empty e-mail', { email: ' ' }, 'no e-mail'],
    ['with an e-mail that is not an address', { email: 'ada' }, 'no e-mail'],
    ['with two addresses in one', { email: 'a@b.c d@e.f' }, 'no e-mail'],
    ['with half of a surrogate pair in the e-mail', { email: 'a\ud83d@b.c' }, 'no e-mail'],
    ['with a sign of kelvin as a K in the e-mail', { email: '\u212Aate@example.com' }, 'looks like another one'],
    ['with letters of full width in the e-mail', { email: '\uff41da@example.com' }, 'looks like another one'],
    ['with an unverified e-mail', { email_verified: false }, 'not verified'],
    ['with email_verified as the text "false"', { email_verified: 'false' }, 'not verified'],
  ] as const)('is refused %s', ([, change, words]) => {
    const refusal = expect.objectContaining({ code: 'login_refused', message: expect.stringContaining(words) });

    expect(() => personFrom({ ...claims, ...change })).toThrow(refusal);
  });

  test.for([
    ['the name on one line', { name: ' Ada\n Lovelace\u0000 ' }, 'Ada Lovelace'],
    ['a name without half of a surrogate pair', { name: 'Ada \ud83d' }, 'Ada \ufffd'],
    ['the first 100 characters of a long name', { name: '👩'.repeat(150) }, '👩'.repeat(100)],
    ['the user name when there is no name', { name: '', preferred_username: 'ada' }, 'ada'],
    ['nothing when the user name is an address', { name: undefined, preferred_username: 'ada@example.com' }, null],
    ['nothing when there is no name', { name: undefined }, null],
  ] as const)('is named by %s', ([, change, displayName]) => {
    expect(personFrom({ ...claims, ...change }).displayName).toBe(displayName);
  });
});
