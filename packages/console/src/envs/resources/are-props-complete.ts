import type { JsonObject } from '@berth/client';
import { errorsOfForm } from '../../form/errors.ts';
import type { Form } from '../../form/parsed-form.ts';

/** Whether the props satisfy the form. In a change, a sensitive prop that is not typed stays as it is. */
export function arePropsComplete(form: Form | null, props: JsonObject, what: 'new' | 'change'): boolean {
  if (form === null) return true;
  const { byInput, whole } = errorsOfForm(form, props);
  const kept = what === 'change' ? form.inputs.filter(({ id, sensitive }) => sensitive && props[id] === undefined) : [];
  return whole === null && [...byInput.keys()].every((id) => kept.some((input) => input.id === id));
}
