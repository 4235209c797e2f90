import type { Deployment, HelmChart, JsonObject } from '@berth/client';
import { sameJson } from '@berth/contracts/fields/json';
import { changedInputs, configFor, withInitials } from '../../form/config.ts';
import type { Form } from '../../form/parsed-form.ts';

/** What a person wants of a deployment. It may contain inputs of another version of the chart, in case that one is chosen again. */
export interface Draft {
  chartId: string;
  config: JsonObject;
  override: JsonObject | null;
  /** The text of the override while it is being typed; null before that. */
  typed: TypedOverride | null;
}

export interface TypedOverride {
  text: string;
  language: 'yaml' | 'json';
  /** The text has an error, so the override is still that of the last valid text. */
  isBroken: boolean;
}

type Compared = Pick<Deployment, 'helm_chart_id' | 'config' | 'values_override'>;

export const draftOf = ({ helm_chart_id, config, values_override }: Compared): Draft => ({
  chartId: helm_chart_id,
  config,
  override: values_override,
  typed: null,
});

/** The fields of a deployment that a draft changes. A request names only these. */
export function changesOf(row: Compared, { chartId, config, override }: Draft, form: Form | null): Partial<Compared> {
  const fitting = configFor(form, config);
  const isSameConfig = changedInputs(row.config, fitting).length === 0;
  return {
    ...(chartId !== row.helm_chart_id && { helm_chart_id: chartId }),
    ...(!isSameConfig && { config: fitting }),
    ...(!sameJson(override, row.values_override) && { values_override: override }),
  };
}

export const hasChanges = (changes: object): boolean => Object.keys(changes).length > 0;

/** The draft with another chart. Inputs that only the new chart has start with its values. */
export const withChart = (
  draft: Draft,
  chartId: string,
  { now, before }: { now: Form | null; before: Form | null },
): Draft => ({
  ...draft,
  chartId,
  config: withInitials(now, before, draft.config),
});

/** The name of a version for people. */
export const versionOf = ({ image_tag, parsed_version }: Pick<HelmChart, 'image_tag' | 'parsed_version'>): string =>
  parsed_version ?? image_tag;
