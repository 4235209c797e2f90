import type { JsonObject, JsonValue } from '@berth/client';
import { isJsonObject } from '@berth/contracts/fields/json';

export interface FormInput {
  id: string;
  label: string;
  type: string;
  isRequired: boolean;
  help: string;
  /** It is shown only for some values of other inputs. */
  isConditional: boolean;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** What the form of a chart asks for, in order. */
export function formInputs(form: JsonObject | null): FormInput[] {
  const inputs = form?.['inputs'];
  return (Array.isArray(inputs) ? inputs : []).filter(isJsonObject).map((input) => {
    const { id, label, type, required, helpText, collection, itemType } = input;
    const more = textOf(collection) || textOf(itemType);
    return {
      id: textOf(id),
      label: textOf(label) || textOf(id),
      type: more === '' ? textOf(type) : `${textOf(type)} of ${more}`,
      isRequired: required === true,
      help: textOf(helpText),
      isConditional: Array.isArray(input['showIfAll']) || Array.isArray(input['showIf']),
    };
  });
}

/** The titles of the actions that a chart offers. */
export function actionTitles(actions: JsonObject | null): string[] {
  const list = actions?.['actions'];
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map(({ id, title }) => textOf(title) || textOf(id));
}
