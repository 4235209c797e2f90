import { expect, test } from 'vitest';
import { kindNameOf } from './kind-name-of.ts';

test.for([
  ['two-words-charts', 'TwoWords'],
  ['hello-web', 'HelloWeb'],
  ['hello-web-chart', 'HelloWeb'],
  ['team/prod/hello-web', 'HelloWeb'],
  ['charts', 'Charts'],
  ['team/charts', 'Charts'],
  ['chart-museum', 'ChartMuseum'],
  ['double--dash', 'DoubleDash'],
  ['with.dots_and-underscores', 'With.dotsAndUnderscores'],
  ['under__score_chart', 'UnderScore'],
  ['3scale', '3scale'],
] as const)('%s is of kind %s', ([repository, kind]) => {
  expect(kindNameOf(repository)).toBe(kind);
});

test('a kind has at most 100 characters', () => {
  expect(kindNameOf(`charts/${'a'.repeat(200)}`)).toBe(`A${'a'.repeat(99)}`);
});
