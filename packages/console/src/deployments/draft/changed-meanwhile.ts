import type { Deployment, JsonValue } from '@berth/client';
import { sameJson } from '@berth/contracts/fields/json';
import { changedInputs, sameInput } from '../../form/config.ts';
import type { Draft } from './draft.ts';

/** A field of a deployment that somebody else changed. */
export interface Difference {
  field: 'name' | 'cluster_id' | 'helm_chart_id' | 'values_override' | 'enabled' | 'description_md' | 'config';
  /** The input, for `config`. */
  input: string | null;
  before: JsonValue | undefined;
  after: JsonValue | undefined;
}

const fields = ['name', 'cluster_id', 'helm_chart_id', 'values_override', 'enabled', 'description_md'] as const;

type Row = Pick<Deployment, Difference['field']>;

/** The differences between the row that a person started from and the current one, input by input. */
export function changedMeanwhile(began: Row, fresh: Row): Difference[] {
  const ofRow = fields
    .filter((field) => !sameJson(began[field], fresh[field]))
    .map((field): Difference => ({ field, input: null, before: began[field], after: fresh[field] }));
  const ofConfig = changedInputs(began.config, fresh.config).map(
    (input): Difference => ({ field: 'config', input, before: began.config[input], after: fresh.config[input] }),
  );
  return [...ofRow, ...ofConfig];
}

/** What was typed, on top of the current row. What the person did not change follows the row. */
export function rebased(draft: Draft, began: Row, fresh: Row): Draft {
  const config = { ...draft.config };
  for (const input of changedInputs(began.config, fresh.config)) {
    if (!sameInput(draft.config[input], began.config[input])) continue;
    const value = fresh.config[input];
    if (value === undefined) delete config[input];
    else config[input] = value;
  }
  return {
    chartId: draft.chartId === began.helm_chart_id ? fresh.helm_chart_id : draft.chartId,
    config,
    typed: draft.typed,
    override: sameJson(draft.override, began.values_override) ? fresh.values_override : draft.override,
  };
}

/** Whether a draft differs from what somebody else wrote. Otherwise it has taken that over. */
export function isContested({ field, input, after }: Difference, draft: Draft): boolean {
  if (field === 'helm_chart_id') return draft.chartId !== after;
  if (field === 'values_override') return !sameJson(draft.override, after);
  return field === 'config' && input !== null && !sameInput(draft.config[input], after);
}
