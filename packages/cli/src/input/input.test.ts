import { expect, test } from 'vitest';
import { withInput } from './config-inputs.ts';
import { parseDuration } from './duration.ts';

test.for([
  ['replicas=3', { replicas: 3 }],
  ['greeting=Hi there', { greeting: 'Hi there' }],
  ['greeting=', { greeting: '' }],
  ['version="1.0"', { version: '1.0' }],
  ['on=true', { on: true }],
  ['a=b=c', { a: 'b=c' }],
  ['list=[1,2]', { list: [1, 2] }],
] as const)('--set %s gives %o', ([text, inputs]) => {
  expect(withInput({}, text)).toEqual(inputs);
});

test.for(['replicas', '=3', '__proto__=1'])('--set %s is wrong usage', (text) => {
  expect(() => withInput({}, text)).toThrow(expect.objectContaining({ outcome: 'usage' }));
});

test.for([
  ['90s', 90_000],
  ['1m30s', 90_000],
  ['2h', 7_200_000],
] as const)('%s is %d ms', ([text, ms]) => {
  expect(parseDuration(text)).toBe(ms);
});

test.for(['', '10', '5 m', '-1s', '1d'])('"%s" is not a duration', (text) => {
  expect(() => parseDuration(text)).toThrow(/a time is such as/);
});
