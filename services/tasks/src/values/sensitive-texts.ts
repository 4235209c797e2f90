import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { visibleInputs } from '@berth/chart-extensions/config/visible-inputs';
import type { JsonObject } from '@berth/contracts/fields/json';
import { textsIn } from '../secrets/sealed-props.ts';

/** The values of sensitive inputs, to be redacted wherever people read. */
export const sensitiveTexts = (form: ValuesUi | null | undefined, inputs: JsonObject): string[] =>
  !form
    ? []
    : visibleInputs(form, inputs)
        .filter(({ sensitive }) => sensitive)
        .flatMap(({ id }) => (Object.hasOwn(inputs, id) ? textsIn(inputs[id]) : []));
