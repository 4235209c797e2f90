import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { Budget } from '../budget/budget.ts';
import { runRule, ShowRule } from './show-rule.ts';

const config = { port: 443, tls: true, name: 'web', tags: ['a', 'b', 3], none: [], when: { schedule: '10:00' } };
const run = (rule: JsonValue, values: JsonObject = config) => runRule(ShowRule.parse(rule), values, new Budget());
const v = (name: string) => ({ var: name });

describe('a rule', () => {
  test.for<[string, JsonValue, JsonValue]>([
    ['reads an input', v('port'), 443],
    ['reads a member of an input', v('when.schedule'), '10:00'],
    ['reads an item of a list', v('tags.1'), 'b'],
    ['reads an absent input as null', v('nothing'), null],
    ['reads inherited properties as null', v('toString'), null],
    ['has a default for an absent input', { var: ['nothing', 7] }, 7],
    ['compares a number with its text', { '==': [v('port'), '443'] }, true],
    ['compares strictly', { '===': [v('port'), '443'] }, false],
    ['compares null with false', { '==': [v('nothing'), false] }, false],
    ['compares true with 1', { '==': [v('tls'), 1] }, true],
    ['compares for inequality', { '!=': [v('name'), 'db'] }, true],
    ['compares for strict inequality', { '!==': [v('port'), 443] }, false],
    ['considers two lists unequal', { '==': [v('tags'), v('tags')] }, false],
    ['negates', { '!': [v('tls')] }, false],
    ['takes one argument without a list', { '!': v('nothing') }, true],
    ['treats an empty list as false', { '!!': [v('none')] }, false],
    ['treats a list with items as true', { '!!': [v('tags')] }, true],
    ['combines conditions with and', { and: [{ '===': [v('tls'), true] }, { '>': [v('port'), 400] }] }, true],
    ['returns the first false value of and', { and: [v('none'), v('name')] }, []],
    ['finds a value among several', { or: [v('nothing'), v('name')] }, 'web'],
    ['chooses', { if: [v('none'), 1, v('tls'), 2, 3] }, 2],
    ['chooses the remaining one', { '?:': [v('none'), 1, 3] }, 3],
    ['chooses nothing', { if: [v('none'), 1] }, null],
    ['compares numbers in texts', { '<': ['9', 10] }, true],
    ['compares texts as texts', { '<': ['9', '10'] }, false],
    ['lies between two others', { '<=': [400, v('port'), 443] }, true],
    ['does not lie between two others', { '<': [400, v('port'), 443] }, false],
    ['compares no list', { '>=': [v('tags'), 0] }, false],
    ['finds a value in a list of its own', { in: [v('name'), ['db', 'web']] }, true],
    ['finds a value in a list of the config', { in: [3, v('tags')] }, true],
    ['does not find a number by its text', { in: ['3', v('tags')] }, false],
    ['finds a text within a text', { in: ['eb', v('name')] }, true],
    ['cuts a text from a position', { substr: [v('name'), 1] }, 'eb'],
    ['cuts a text of a length', { substr: [v('name'), 0, 2] }, 'we'],
    ['cuts a text from its end', { substr: [v('name'), -2] }, 'eb'],
    ['cuts a text up to its end', { substr: [v('name'), 0, -1] }, 'we'],
    ['cuts a number as its text', { substr: [v('port'), 1, 1] }, '4'],
    ['cuts nothing from an absent input', { substr: [v('nothing'), 1] }, ''],
    ['finds nothing within a number', { in: ['4', v('port')] }, false],
    ['is a value', false, false],
  ])('%s', ([, rule, value]) => {
    expect(run(rule)).toEqual(value);
  });

  const deep = (levels: number): JsonValue => (levels === 0 ? 1 : { '!': [deep(levels - 1)] });
  test.for<[string, JsonValue, RegExp]>([
    ['with an unknown operator', { explode: [] }, /^must use one operator of var == .* in at a time$/],
    ['that iterates over a list', { all: [[1, 2], { '>': [v(''), 0] }] }, /must use one operator/],
    ['that builds longer texts', { cat: [v('name'), v('name')] }, /must use one operator/],
    ['with the name of an inherited property as operator', { toString: [] }, /must use one operator/],
    ['of two operators', { '!': 1, '!!': 1 }, /must use one operator/],
    ['of none', {}, /must use one operator/],
    ['whose variable is computed', { var: { if: [1, 'a', 'b'] } }, /must name the input of a var by a text/],
    ['whose variable has an endless name', v('a'.repeat(501)), /more than 500 characters/],
    ['whose default is computed', { var: ['a', { '!': 1 }] }, /as the default of a var/],
    ['that is deep', deep(20), /must not be deeper than 20/],
    ['that is large', { in: [1, Array.from({ length: 500 }, () => 1)] }, /more than 500 operators and values/],
  ])('a rule %s is refused when its chart is read', ([, rule, words]) => {
    expect(ShowRule.safeParse(rule).error?.issues[0]?.message).toMatch(words);
  });
});
