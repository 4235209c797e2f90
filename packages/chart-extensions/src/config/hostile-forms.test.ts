import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { Budget, formLimits } from '../budget/budget.ts';
import { outputValues } from './output-values.ts';
import { readFiles } from '../testing/extension-samples.ts';
import { validateConfig } from './validate-config.ts';
import { ValuesUi } from '../form/values-ui.ts';
import { visibleInputs } from './visible-inputs.ts';

const repeat = <T>(times: number, make: (index: number) => T): T[] =>
  Array.from({ length: times }, (_, index) => make(index));

const overSteps = `take more than ${formLimits.steps} steps`;
const overBytes = `would be larger than ${formLimits.bytes} bytes`;

/** The steps and bytes that a pass over a form uses before it ends or is stopped, and its outcome. */
function spent(pass: (budget: Budget) => unknown) {
  const budget = new Budget();
  try {
    pass(budget);
    return { ...budget.spent, words: 'done' };
  } catch (error) {
    return { ...budget.spent, words: error instanceof Error ? error.message : '' };
  }
}

const errorOf = (form: JsonObject): string | null =>
  readFiles({
    'berth/values-ui.yaml': JSON.stringify({ apiVersion: 'berth.dev/v1beta1', kind: 'ValuesUi', ...form }),
  }).error;

describe('a chart is refused when it is read', () => {
  const nested = (levels: number): JsonValue =>
    levels === 0 ? { '>': [{ val: [[2], 'zz'] }, 0] } : { all: [repeat(40, (index) => index), nested(levels - 1)] };

  test('a chart is refused for a rule that iterates nested lists; the error names file, path and rule', () => {
    expect(errorOf({ inputs: [{ id: 'a', type: 'text', label: 'A', showIf: nested(4) }] })).toMatch(
      /^berth\/values-ui\.yaml: inputs\[0\]\.showIf: must use one operator of var == /,
    );
  });

  test('a chart is refused when its rules together are too large', () => {
    const showIf = { in: [1, repeat(400, () => 1)] };
    const inputs = repeat(13, (index) => ({ id: `i${index}`, type: 'text', label: 'I', showIf }));

    expect(errorOf({ inputs })).toBe(
      'berth/values-ui.yaml: inputs: must not have more than 5000 operators and values in all showIf rules together',
    );
    expect(errorOf({ inputs: inputs.slice(0, 12) })).toBeNull();
  });
});

describe('the rules of one form stop at their budget', () => {
  const shown = (showIf: JsonValue, config: JsonObject) => {
    const inputs = repeat(100, (index) => ({ id: `i${index}`, type: 'text', label: 'I', showIf }));
    const form = ValuesUi.parse({ inputs });
    return spent((budget) => visibleInputs(form, config, budget));
  };
  const long = 'a'.repeat(100_000);

  test.for<[string, JsonValue, JsonObject, string]>([
    ['over lists of the config', { in: [0, { var: 'list' }] }, { list: repeat(9_000, () => 1) }, overSteps],
    ['over texts in texts', { in: [{ var: 'a' }, { var: 'b' }] }, { a: `b${long}`, b: `${long}${long}` }, overSteps],
    ['over texts that are equal', { '==': [{ var: 'a' }, { var: 'b' }] }, { a: long, b: 'a'.repeat(100_000) }, 'done'],
    ['over texts that are numbers', { '==': [{ var: 'a' }, 1] }, { a: '1'.repeat(100_000) }, 'done'],
    ['over texts in order', { '<': [{ var: 'a' }, { var: 'b' }] }, { a: long, b: `${long}b` }, 'done'],
  ])('%s', ([, rule, config, words]) => {
    const { steps, words: said } = shown(rule, config);

    expect(said).toContain(words);
    // A comparison that ends early still counts by length.
    expect(steps).toBeGreaterThan(9_000);
  });

  test('conditions on objects of the config stop at their budget', () => {
    const inputs = repeat(500, (index) => ({
      id: `i${index}`,
      type: 'text',
      label: 'I',
      showIfAll: [{ field: 'a', value: { k: 1 } }],
    }));
    const config = { a: Object.fromEntries(repeat(9_000, (index) => [`k${index}`, index])) };
    const form = ValuesUi.parse({ inputs });

    const { steps, words } = spent((budget) => visibleInputs(form, config, budget));

    expect(words).toContain(overSteps);
    expect(steps).toBeLessThan(formLimits.steps + 10_000);
  });
});

describe('the evaluation of outputs stops at its budget', () => {
  const text = { id: 'a', type: 'text', label: 'A' };
  const ref = { FieldValue: { input: 'a' } };
  const made = (form: JsonObject, config: JsonObject) => {
    const parsed = ValuesUi.parse(form);
    return spent((budget) => outputValues(parsed, { config, budget, propertyOf: () => 'x'.repeat(100) }));
  };

  test('outputs that write an input of 1 MB to 2,000 paths stop at their budget', () => {
    const values = repeat(2_000, (index) => ({ path: [`k${index}`], value: ref }));

    const { bytes, words } = made({ inputs: [text], outputs: { values } }, { a: 'x'.repeat(1_000_000) });

    expect(words).toContain(overBytes);
    expect(bytes).toBeLessThan(formLimits.bytes + 1_100_000);
  });

  test('outputs that write an input of 1 MB into 1,000 Secrets stop at their budget', () => {
    const secrets = Object.fromEntries(repeat(1_000, (index) => [`s${index}`, { k: ref }]));

    const { bytes, words } = made({ inputs: [text], outputs: { secrets } }, { a: 'x'.repeat(1_000_000) });

    expect(words).toContain(overBytes);
    expect(bytes).toBeLessThan(formLimits.bytes + 1_100_000);
  });

  test('outputs whose paths end in the last cell of nested lists stop at their budget', () => {
    const values = repeat(2_000, (index) => ({
      path: [`k${index}`, ...repeat(31, () => '[1023]')],
      value: ref,
    }));

    const { bytes, steps, words } = made({ inputs: [text], outputs: { values } }, { a: 'x' });

    expect(words).toContain(overSteps);
    expect(steps).toBeLessThan(formLimits.steps + 2_000);
    expect(bytes).toBeLessThan(formLimits.bytes);
  });

  test('outputs that write properties of many items to many paths stop at their budget', () => {
    const peers = { id: 'a', type: 'array', itemType: 'CollectionSelect', collection: 'deployments', label: 'P' };
    const values = repeat(2_000, (index) => ({
      path: [`k${index}`],
      value: { FieldProperty: { input: 'a', property: 'name' } },
    }));

    const { bytes, steps, words } = made({ inputs: [peers], outputs: { values } }, { a: repeat(1_000, () => 'id') });

    expect(words).toMatch(/take more than|would be larger than/);
    expect(steps).toBeLessThan(formLimits.steps + 2_000);
    expect(bytes).toBeLessThan(formLimits.bytes + 2_000);
  });

  test('outputs of an ordinary form and config stay far below their budget', () => {
    const inputs = repeat(200, (index) => ({
      id: `i${index}`,
      type: 'text',
      label: 'I',
      showIf: { and: [{ '===': [{ var: 'i0' }, 'x'] }, { in: [{ var: 'i1' }, ['x', 'y']] }] },
    }));
    const values = repeat(200, (index) => ({
      path: ['a', 'b', `k${index}`],
      value: { FieldValue: { input: `i${index}` } },
    }));
    const config = Object.fromEntries(repeat(200, (index) => [`i${index}`, 'x']));

    const { bytes, steps, words } = made({ inputs, outputs: { values } }, config);

    expect(words).toBe('done');
    expect(steps).toBeLessThan(formLimits.steps / 5);
    expect(bytes).toBeLessThan(formLimits.bytes / 100);
  });
});

describe('the budget of a form counts', () => {
  const text = (more: JsonObject = {}): JsonObject => ({ id: 'a', type: 'text', label: 'A', ...more });
  const ref = { FieldValue: { input: 'a' } };
  const rule = (showIf: JsonValue) => ({ inputs: [text({ showIf })] });
  const condition = (field: string, value: JsonValue) => ({ inputs: [text({ showIfAll: [{ field, value }] })] });
  const output = (path: string[]) => ({ inputs: [text()], outputs: { values: [{ path, value: ref }] } });
  const secrets = (names: string[], keys: string[], inputs: JsonObject[] = [text()]): JsonObject => ({
    inputs,
    outputs: {
      secrets: Object.fromEntries(names.map((name) => [name, Object.fromEntries(keys.map((key) => [key, ref]))])),
    },
  });
  const many = (n: number) => repeat(n, (index) => `k${index}`.padEnd(10, 'x'));
  const peers = { id: 'a', type: 'array', itemType: 'CollectionSelect', collection: 'deployments', label: 'P' };
  const property = { FieldProperty: { input: 'a', property: 'name' } };

  /** The minimal number of steps or bytes for each further item of the kind in the title. */
  test.for<[string, { steps?: number; bytes?: number }, (n: number) => [form: JsonObject, config: JsonObject]]>([
    ['each value of a rule', { steps: 1 }, (n) => [rule({ and: repeat(n, () => 1) }), {}]],
    ['each key of a var', { steps: 1 }, (n) => [rule({ var: repeat(n, () => 'a').join('.') }), {}]],
    ['each item of a list in which a rule searches', { steps: 1 }, (n) => [rule({ in: [0, repeat(n, () => 1)] }), {}]],
    [
      'each condition',
      { steps: 1 },
      (n) => [
        { inputs: repeat(n, (index) => text({ id: `i${index}`, showIfAll: [{ field: 'none', value: 1 }] })) },
        {},
      ],
    ],
    [
      'each item of a list that a condition compares',
      { steps: 1 },
      (n) => [
        condition(
          'b',
          repeat(n, () => 1),
        ),
        { b: repeat(n, () => 1) },
      ],
    ],
    [
      'each member of an object that a condition compares',
      { steps: 2 },
      (n) => {
        const object = Object.fromEntries(many(n).map((key) => [key, 1]));
        return [condition('b', object), { b: object }];
      },
    ],
    [
      'each output of a hidden input',
      { steps: 1 },
      (n) => [
        {
          inputs: [text({ showIf: false })],
          outputs: { values: repeat(n, (index) => ({ path: [`k${index}`], value: ref })) },
        },
        { a: 'x' },
      ],
    ],
    [
      'each item whose property is read',
      { steps: 1 },
      (n) => [{ inputs: [peers], outputs: { secrets: { s: { k: property } } } }, { a: repeat(n, () => 'id') }],
    ],
    ['each key of a path', { steps: 1, bytes: 14 }, (n) => [output(many(n)), { a: 'x' }]],
    ['each cell of a path', { bytes: 3 }, (n) => [output(['k', ...repeat(n, () => '[0]')]), { a: 'x' }]],
    [
      'each empty cell before the one that is set',
      { steps: 1, bytes: 5 },
      (n) => [output(['k', `[${n}]`]), { a: 'x' }],
    ],
    ['each item of a list that is copied', { steps: 1, bytes: 2 }, (n) => [output(['k']), { a: repeat(n, () => 1) }]],
    ['each object that is copied', { steps: 1, bytes: 3 }, (n) => [output(['k']), { a: repeat(n, () => ({})) }]],
    [
      'each member of an object that is copied',
      { steps: 1, bytes: 14 },
      (n) => [output(['k']), { a: Object.fromEntries(many(n).map((key) => [key, 1])) }],
    ],
    ['each character of a text that is copied', { bytes: 1 }, (n) => [output(['k']), { a: 'x'.repeat(n) }]],
    ['each Secret', { bytes: 18 }, (n) => [secrets(many(n), ['k']), { a: '' }]],
    ['each key of a Secret', { bytes: 16 }, (n) => [secrets(['s'], many(n)), { a: '' }]],
    ['each character of a text in a Secret', { bytes: 1 }, (n) => [secrets(['s'], ['k']), { a: 'x'.repeat(n) }]],
  ])('%s', ([, each, make]) => {
    const cost = (n: number) => {
      const [form, config] = make(n);
      const parsed = ValuesUi.parse(form);
      return spent((budget) => outputValues(parsed, { config, budget, propertyOf: () => '' }));
    };
    const [few, more] = [cost(10), cost(20)];

    expect([few.words, more.words]).toEqual(['done', 'done']);
    for (const unit of ['steps', 'bytes'] as const) {
      expect(more[unit] - few[unit]).toBeGreaterThanOrEqual(10 * (each[unit] ?? 0));
    }
  });
});

describe('the check of a config', () => {
  const items = repeat(1_000, (index) => ({ size: 'l', n: -index }));

  test('visits each item of a list once, however many options there are', () => {
    let reads = 0;
    const watched = items.map((item) => new Proxy(item, { ownKeys: (of) => (reads++, Reflect.ownKeys(of)) }));
    const options = repeat(1_000, (index) => ({ value: { size: 'l', n: index } }));
    const form = ValuesUi.parse({
      inputs: [{ id: 'a', type: 'array', itemType: 'RadioSelect', label: 'A', options }],
    });

    const errors = validateConfig(form, { a: watched });

    expect(errors).toHaveLength(50);
    expect(reads).toBe(1_000);
  });

  test('names only the first of many options, and the first 50 errors', () => {
    const options = repeat(1_000, (index) => ({ value: `option ${index}` }));
    const form = ValuesUi.parse({ inputs: [{ id: 'a', type: 'array', itemType: 'RadioSelect', label: 'A', options }] });

    const errors = validateConfig(form, { a: repeat(1_000, () => 'none') });

    expect(errors).toHaveLength(50);
    expect(errors[0]?.message).toMatch(/^must be one of "option 0", .{400,500}…$/);
  });
});
