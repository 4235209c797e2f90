import { validateInputs } from '@berth/chart-extensions/config/validate-config';
import type { Input } from '@berth/chart-extensions/form/input';
import type { FieldError, JsonObject, JsonValue } from '@berth/client';

/** The paths of a config in the requests that change a deployment. */
const places = ['body.config', 'body.operation.Upgrade.config_inputs'];

/** The rules that the value of an input breaks, even if the form hides it. */
export function errorsOfInput(
  { showIf: _rule, showIfAll: _all, ...input }: Input,
  value: JsonValue | undefined,
): FieldError[] {
  return validateInputs({ inputs: [input] }, value === undefined ? {} : { [input.id]: value });
}

/** The errors of the visible inputs. `whole`: why the rules of the form cannot be evaluated at all. */
export function errorsOfForm(
  form: { inputs: Input[] },
  config: JsonObject,
): { byInput: Map<string, FieldError[]>; whole: string | null } {
  try {
    return { byInput: errorsByInput(form.inputs, validateInputs(form, config)), whole: null };
  } catch (error) {
    return { byInput: new Map(), whole: error instanceof Error ? error.message : 'The form cannot be checked' };
  }
}

/** The errors of an answer, by input. */
export function errorsByInput(
  inputs: readonly Pick<Input, 'id'>[],
  errors: readonly FieldError[],
): Map<string, FieldError[]> {
  const found = new Map<string, FieldError[]>();
  for (const { id } of inputs) {
    const own = errors.filter(({ path }) => places.some((place) => isAt(path, `${place}.${id}`)));
    if (own.length > 0) found.set(id, own);
  }
  return found;
}

const isAt = (path: string, at: string): boolean => path === at || path.startsWith(`${at}[`);

/** The errors of one item of a list. */
export const errorsOfItem = (errors: readonly FieldError[], index: number): FieldError[] =>
  errors.filter(({ path }) => path.endsWith(`[${index}]`));

/** The errors of an input as a whole, rather than of single items. */
export const errorsOfWhole = (errors: readonly FieldError[]): FieldError[] =>
  errors.filter(({ path }) => !/\[\d+\]$/.test(path));

export const wordsOf = (errors: readonly FieldError[]): string | undefined =>
  errors.length === 0 ? undefined : errors.map(({ message }) => message).join('; ');
