import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

/** The parts of a chart's action that the console shows. The server checks everything again. */
export interface ChartAction {
  id: string;
  title: string;
  description: string;
  allowed_role: 'Owner' | 'Maintainer';
  dangerous: boolean;
  /** The form of its body, in the shape of `values_ui`. */
  ui_schema: JsonObject | null;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The actions of a chart's stored `actions_schema`. */
export function chartActionsOf(stored: JsonObject | null): ChartAction[] {
  const actions = stored?.['actions'];
  return (Array.isArray(actions) ? actions : []).filter(isJsonObject).map((action) => ({
    id: text(action['id']),
    title: text(action['title']),
    description: text(action['description']),
    allowed_role: action['allowed_role'] === 'Maintainer' ? 'Maintainer' : 'Owner',
    dangerous: action['dangerous'] === true,
    ui_schema: isJsonObject(action['ui_schema']) ? action['ui_schema'] : null,
  }));
}
