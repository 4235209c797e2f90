import { expect, test } from 'vitest';
import { handedCode } from './handed-code.ts';

test.for([
  ['its own code', 'code=c&state=s', { auth_code: 'c' }],
  [
    'its own code with the issuer',
    'code=c&state=s&iss=https%3A%2F%2Fp.test',
    { auth_code: 'c', iss: 'https://p.test' },
  ],
  ['none with another state', 'code=c&state=t', null],
  ['none with a state of another length', 'code=c&state=ss', null],
  ['none with a state that is not ASCII', 'code=c&state=%F0%9F%99%82', null],
  ['none without a state', 'code=c', null],
  ['none without a code', 'state=s', null],
] as const)('a terminal takes %s', ([, query, taken]) => {
  expect(handedCode(query, 's')).toEqual(taken);
});
