import type { Deployment, JsonObject } from '@berth/client';
import { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { expect, test } from 'vitest';
import { changedMeanwhile, isContested, rebased } from './changed-meanwhile.ts';
import { changesOf, draftOf, hasChanges, withChart } from './draft.ts';

const formWith = (...inputs: object[]) => ValuesUi.parse({ inputs });
const text = (id: string, more: object = {}) => ({ id, type: 'text', label: id, ...more });

const row = (changes: Partial<Deployment> = {}) => ({
  name: 'web',
  cluster_id: 'c1',
  helm_chart_id: 'v1',
  config: { a: '1', b: '2' } as JsonObject,
  values_override: null as JsonObject | null,
  enabled: true,
  description_md: null,
  ...changes,
});

const form = formWith(text('a'), text('b'), text('c'));

test('a draft that equals its row changes nothing', () => {
  expect(changesOf(row(), draftOf(row()), form)).toEqual({});
  expect(changesOf(row(), { ...draftOf(row()), config: { b: '2', a: '1', c: null } }, form)).toEqual({});
  expect(hasChanges({})).toBe(false);
});

test('a request names only the fields that differ', () => {
  expect(changesOf(row(), { ...draftOf(row()), chartId: 'v2' }, form)).toEqual({ helm_chart_id: 'v2' });
  expect(changesOf(row(), { ...draftOf(row()), config: { a: '1' } }, form)).toEqual({ config: { a: '1' } });
  expect(changesOf(row({ values_override: { x: 1 } }), draftOf(row()), form)).toEqual({
    values_override: null,
  });
});

test('inputs that the chart lacks are left out, unless the chart has no form', () => {
  const draft = { ...draftOf(row()), chartId: 'v2' };
  expect(changesOf(row(), draft, formWith(text('a')))).toEqual({ helm_chart_id: 'v2', config: { a: '1' } });
  expect(changesOf(row(), draft, null)).toEqual({ helm_chart_id: 'v2' });
});

test('with another chart, new inputs start with its values, and all others are kept', () => {
  const now = formWith(
    text('a', { initialValue: 'A' }),
    text('c', { initialValue: 'C' }),
    text('d', { initialValue: 'D' }),
  );
  const draft = withChart(draftOf(row()), 'v2', { now, before: form });
  expect(draft).toEqual({ chartId: 'v2', config: { a: '1', b: '2', d: 'D' }, override: null, typed: null });
});

test('changes by somebody else are named input by input', () => {
  const fresh = row({ helm_chart_id: 'v2', config: { a: '1', b: '3', c: '4' } });
  expect(changedMeanwhile(row(), fresh)).toEqual([
    { field: 'helm_chart_id', input: null, before: 'v1', after: 'v2' },
    { field: 'config', input: 'b', before: '2', after: '3' },
    { field: 'config', input: 'c', before: undefined, after: '4' },
  ]);
  expect(changedMeanwhile(row(), row())).toEqual([]);
});

test('typed values are kept, and untouched ones follow the row', () => {
  const typed = { chartId: 'v1', config: { a: 'mine', b: '2' }, override: { mine: true }, typed: null };
  const fresh = row({ helm_chart_id: 'v2', config: { a: 'theirs' }, values_override: { theirs: true } });
  expect(rebased(typed, row(), fresh)).toEqual({
    chartId: 'v2',
    config: { a: 'mine' },
    override: { mine: true },
    typed: null,
  });
  expect(rebased(draftOf(row()), row(), fresh)).toEqual(draftOf(fresh));
});

test('a field is contested if both changed it, and taken over if only somebody else did', () => {
  const fresh = row({ config: { a: 'theirs', b: 'theirs' }, enabled: false });
  const typed = rebased({ ...draftOf(row()), config: { a: 'mine', b: '2' } }, row(), fresh);
  const differences = changedMeanwhile(row(), fresh);
  expect(differences.map((each) => [each.input ?? each.field, isContested(each, typed)])).toEqual([
    ['enabled', false],
    ['a', true],
    ['b', false],
  ]);
});
