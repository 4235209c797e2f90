import { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import type { JsonObject } from '@berth/client';

export type Form = ValuesUi;

/** The form of a chart, checked by the schema of charts. Null if the chart has none. Throws if this console is too old for it. */
export function formOf(valuesUi: JsonObject | null): Form | null {
  if (valuesUi === null) return null;
  const { data, error } = ValuesUi.safeParse(valuesUi);
  if (data) return data;
  const [issue] = error.issues;
  throw new Error(`The form of the chart cannot be read: ${issue?.path.join('.')} ${issue?.message}. Reload the page.`);
}
