import { expect, test } from 'vitest';
import { isShown, readSwitched, switchedFor } from './column-choice.ts';

const titles = ['Choose', 'State', 'Name', 'Env', 'Why', 'Namespace'];
const shownBy = (switched: string[]) => titles.filter((title) => isShown(title, switched));

test('optional columns are hidden at first, and shown once chosen', () => {
  expect(shownBy([])).toEqual(['Choose', 'State', 'Name', 'Env', 'Why']);
  expect(shownBy(switchedFor(titles, new Set(['Why', 'Namespace'])))).toEqual([
    'Choose',
    'State',
    'Name',
    'Why',
    'Namespace',
  ]);
});

test('columns that identify a row always stay, whatever the browser has kept', () => {
  expect(shownBy(['Choose', 'State', 'Name'])).toContain('Name');
  expect(switchedFor(titles, new Set())).toEqual(['Env', 'Why']);
});

test.for([
  ['nothing', null, []],
  ['something else', '{"Env":true}', []],
  ['no JSON', 'Env', []],
  ['texts among other things', '["Env",7]', ['Env']],
] as const)('a choice of columns is read from %s', ([, kept, titles]) => {
  expect(readSwitched(kept)).toEqual(titles);
});
