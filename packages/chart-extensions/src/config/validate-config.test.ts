import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '@berth/contracts/fields/json';
import { unknownInputs, validateConfig, validateInputs } from './validate-config.ts';
import { ValuesUi } from '../form/values-ui.ts';

const id = '6b0e4b1c-2222-4222-8222-222222222222';

const formOf = (...inputs: JsonObject[]) =>
  ValuesUi.parse({ inputs: inputs.map((input) => ({ label: 'An input', ...input })) });

const errors = (form: ValuesUi, config: JsonObject) =>
  validateConfig(form, config).map(({ path, message }) => `${path}: ${message}`);

describe('the value of one input', () => {
  const days = 'must be {run_days, schedule} with days such as "0,1,6" (0 is Sunday) and a time such as "23:15"';
  const range = { type: 'number', minimum: '1', maximum: '5' };
  const steps = { type: 'number', minimum: 0.1, step: 0.1 };
  const choice = { type: 'RadioSelect', options: [{ value: 'a' }, { value: 2 }, { value: { size: 'l' } }] };

  test.for<[string, JsonObject, JsonValue, string?]>([
    ['a text', { type: 'text' }, 'x'],
    ['an empty text', { type: 'text' }, ''],
    ['a number for a text', { type: 'text' }, 1, 'must be a text'],
    ['a number', { type: 'number' }, -1.5],
    ['a text for a number', { type: 'number' }, '1', 'must be a number'],
    ['a number that is too large', { type: 'number' }, 1e300, 'must be a number'],
    ['the lower end of a range', range, 1],
    ['the upper end of a range', range, 5],
    ['below a range', range, 0.999, 'must be at least 1'],
    ['above a range', range, 5.001, 'must be at most 5'],
    ['a decimal step that binary fractions miss', steps, 0.3],
    ['between two steps', steps, 0.35, 'must be 0.1 or a number of steps of 0.1 from it'],
    ['a flag', { type: 'Checkbox' }, false],
    ['a word for a flag', { type: 'Checkbox' }, 'true', 'must be true or false'],
    ['a choice', choice, 'a'],
    ['a choice that is an object', choice, { size: 'l' }],
    ['a choice of another type', choice, '2', 'must be one of "a", 2, {"size":"l"}'],
    ['an item', { type: 'CollectionSelect', collection: 'secrets' }, id],
    ['an item by name', { type: 'CollectionSelect', collection: 'secrets' }, 'db', 'must be the id of an item'],
    ['days and hour', { type: 'DaysAndHour' }, { run_days: '0,6', schedule: '23:15' }],
    ['no days', { type: 'DaysAndHour' }, { run_days: '', schedule: '00:00' }],
    ['a day too many', { type: 'DaysAndHour' }, { run_days: '7', schedule: '23:15' }, days],
    ['an hour too many', { type: 'DaysAndHour' }, { run_days: '1', schedule: '24:00' }, days],
    ['days without an hour', { type: 'DaysAndHour' }, { run_days: '1' }, days],
    ['days, hour and more', { type: 'DaysAndHour' }, { run_days: '1', schedule: '23:15', zone: 'UTC' }, days],
    ['a list', { type: 'array', itemType: 'number' }, [1, 2]],
    ['an empty list', { type: 'array', itemType: 'number' }, []],
    ['one value for a list', { type: 'array', itemType: 'number' }, 1, 'must be a list'],
    [
      'a list that is too long',
      { type: 'array', itemType: 'number' },
      Array.from({ length: 1025 }, () => 1),
      'must have at most 1024 items',
    ],
    ['null for an optional one', { type: 'number' }, null],
  ])('%s', ([, input, value, message]) => {
    expect(errors(formOf({ id: 'a', ...input }), { a: value })).toEqual(message ? [`body.config.a: ${message}`] : []);
  });

  test('the error for a value in a list names its index', () => {
    const form = formOf({ id: 'hosts', type: 'array', itemType: 'text' });

    expect(errors(form, { hosts: ['a', 1, null] })).toEqual([
      'body.config.hosts[1]: must be a text',
      'body.config.hosts[2]: must be a text',
    ]);
  });
});

describe('a required input', () => {
  const form = formOf({ id: 'name', type: 'text', required: true });

  test.for<[string, JsonObject]>([
    ['absent', {}],
    ['null', { name: null }],
    ['empty', { name: '' }],
  ])('a required input that is %s is an error', ([, config]) => {
    expect(errors(form, config)).toEqual(['body.config.name: is required']);
  });

  test('a required input is absent even if objects inherit a property of its name', () => {
    expect(errors(formOf({ id: 'toString', type: 'text', required: true }), {})).toEqual([
      'body.config.toString: is required',
    ]);
  });
});

describe('visibility', () => {
  const shownIf = (rule: JsonObject) =>
    formOf(
      { id: 'tls', type: 'Checkbox' },
      { id: 'port', type: 'number' },
      { id: 'host', type: 'text', required: true, ...rule },
    );
  const all = {
    showIfAll: [
      { field: 'tls', value: true },
      { field: 'port', value: 443 },
    ],
  };

  test.for<[string, JsonObject, JsonObject, boolean]>([
    ['all conditions hold', all, { tls: true, port: 443 }, true],
    ['one condition does not hold', all, { tls: true, port: 80 }, false],
    ['a condition on an absent input', all, { tls: true }, false],
    ['the rule is exactly true', { showIf: { '==': [{ var: 'port' }, 443] } }, { port: 443 }, true],
    ['the rule is merely truthy', { showIf: { var: 'port' } }, { port: 443 }, false],
    ['the rule goes before the conditions', { ...all, showIf: { '!': { var: 'tls' } } }, { tls: false }, true],
    ['there is neither', {}, {}, true],
  ])('where %s', ([, rule, config, shown]) => {
    expect(errors(shownIf(rule), config)).toEqual(shown ? ['body.config.host: is required'] : []);
  });

  test('the value of a hidden input is not validated', () => {
    expect(errors(shownIf(all), { host: 7 })).toEqual([]);
  });
});

test('a value for an unknown input is an error', () => {
  const form = formOf({ id: 'replicas', type: 'number' });

  expect(errors(form, { replica: 1 })).toEqual(['body.config.replica: is not an input of the chart']);
  expect(validateInputs(form, { replica: 1 })).toEqual([]);
  expect(unknownInputs(form, { replicas: 1 })).toEqual([]);
});

test("paths of errors start at the config's position in the request", () => {
  const form = formOf({ id: 'replicas', type: 'number' });

  expect(validateConfig(form, { replicas: 'x' }, 'body.operation.Install.config_inputs')).toEqual([
    { path: 'body.operation.Install.config_inputs.replicas', message: 'must be a number' },
  ]);
});

test('among inputs with the same id, the first visible one determines the value', () => {
  const isBig = { field: 'size', value: 'big' };
  const form = formOf(
    { id: 'size', type: 'text' },
    { id: 'disk', type: 'number', minimum: 100, required: true, showIfAll: [isBig] },
    { id: 'disk', type: 'text' },
    { id: 'disk', type: 'Checkbox', required: true },
  );

  expect(errors(form, { size: 'big', disk: 50 })).toEqual(['body.config.disk: must be at least 100']);
  expect(errors(form, { size: 'big' })).toEqual(['body.config.disk: is required']);
  expect(errors(form, { size: 'small', disk: 'some' })).toEqual([]);
  expect(errors(form, { size: 'small' })).toEqual([]);
});
