import { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { describe, expect, test } from 'vitest';
import {
  changedInputs,
  configFor,
  droppedInputs,
  initialConfig,
  inputWords,
  withInitials,
  withShown,
} from './config.ts';
import { errorsByInput, errorsOfForm, errorsOfInput, errorsOfItem, errorsOfWhole } from './errors.ts';

const formWith = (...inputs: object[]) => ValuesUi.parse({ inputs: inputs.map((input) => ({ label: 'L', ...input })) });

const form = formWith(
  { id: 'greeting', type: 'text', required: true, initialValue: 'Hello' },
  { id: 'replicas', type: 'number', minimum: '1', maximum: '10' },
  { id: 'agreed', type: 'Checkbox', required: true },
  { id: 'size', type: 'RadioSelect', options: [{ value: 1, label: 'Small' }, { value: 2 }] },
  { id: 'ports', type: 'array', itemType: 'number', maximum: '9', showIfAll: [{ field: 'agreed', value: true }] },
  { id: 'key', type: 'text', sensitive: true },
);

test('a new config has the initial values, and a required checkbox is false', () => {
  expect(initialConfig(form)).toEqual({ greeting: 'Hello', agreed: false });
  expect(initialConfig(null)).toEqual({});
});

test('inputs that have a value, or that the previous chart had, get no initial value', () => {
  expect(withInitials(form, null, { greeting: 'Hi' })).toEqual({ greeting: 'Hi', agreed: false });
  expect(withInitials(form, form, {})).toEqual({});
});

test('inputs that the form does not know, and empty ones, are not sent', () => {
  const config = { greeting: 'Hi', replicas: null, old: 1, older: null };
  expect(configFor(form, config)).toEqual({ greeting: 'Hi' });
  expect(configFor(null, config)).toBe(config);
  expect(droppedInputs(form, config)).toEqual(['old']);
});

test('null and absent are the same value', () => {
  expect(changedInputs({ a: 1, b: null, c: [1] }, { c: [1], d: 2, a: 2 })).toEqual(['a', 'd']);
});

describe('a value for people', () => {
  const input = (id: string) => form.inputs.find((each) => each.id === id);
  test.each([
    ['greeting', undefined, 'empty'],
    ['greeting', 'Hi', 'Hi'],
    ['greeting', 'x'.repeat(100), `${'x'.repeat(79)}…`],
    ['size', 1, 'Small'],
    ['size', 2, '2'],
    ['agreed', true, 'yes'],
    ['ports', [1, 2], '1, 2'],
    ['key', 'secret', 'hidden'],
    ['other', { run_days: '0,1', schedule: '03:00' }, 'Sun, Mon at 03:00'],
  ])('of %s %j is %s', (id, value, words) => {
    expect(inputWords(input(id), value)).toBe(words);
  });
});

test('the errors of an input, and of each item of a list, are those of the platform', () => {
  const ports = form.inputs.find(({ id }) => id === 'ports');
  if (!ports) throw new Error('the form has no ports');
  const errors = errorsOfInput(ports, [1, 12, 'x']);
  expect(errorsOfItem(errors, 1)).toEqual([{ path: 'body.config.ports[1]', message: 'must be at most 9' }]);
  expect(errorsOfItem(errors, 0)).toEqual([]);
  expect(errorsOfWhole(errors)).toEqual([]);
  expect(errorsOfWhole(errorsOfInput(ports, 'x'))).toEqual([{ path: 'body.config.ports', message: 'must be a list' }]);
});

test('hidden inputs have no errors', () => {
  const of = (agreed: boolean) => [...errorsOfForm(form, { greeting: 'Hi', agreed, ports: ['x'] }).byInput.keys()];
  expect(of(false)).toEqual([]);
  expect(of(true)).toEqual(['ports']);
});

test('errors of an answer are assigned to their inputs, wherever the config was in the request', () => {
  const errors = [
    { path: 'body.config.ports[0]', message: 'a' },
    { path: 'body.operation.Upgrade.config_inputs.replicas', message: 'b' },
    { path: 'body.config.replicas_of_others', message: 'c' },
    { path: 'body.name', message: 'd' },
  ];
  expect([...errorsByInput(form.inputs, errors)].map(([id, [first]]) => [id, first?.message])).toEqual([
    ['replicas', 'b'],
    ['ports', 'a'],
  ]);
});

test('an input that a change reveals starts with its initial value, or keeps its own', () => {
  const hiding = formWith(
    { id: 'keep', type: 'Checkbox' },
    { id: 'size', type: 'number', initialValue: 5, showIfAll: [{ field: 'keep', value: true }] },
  );
  expect(withShown(hiding, {}, { keep: true })).toEqual({ keep: true, size: 5 });
  expect(withShown(hiding, { size: 7 }, { keep: true, size: 7 })).toEqual({ keep: true, size: 7 });
  // Emptied by a person, so it stays empty.
  expect(withShown(hiding, { keep: true, size: 5 }, { keep: true })).toEqual({ keep: true });
});
