import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import { visibleInputs } from '@berth/chart-extensions/config/visible-inputs';
import type { JsonObject } from '@berth/contracts/fields/json';

/** The values of sensitive inputs, which must not appear in anything that people read. */
export const sensitiveTexts = (form: ValuesUi | null | undefined, inputs: JsonObject): string[] =>
  !form
    ? []
    : visibleInputs(form, inputs)
        .filter(({ sensitive }) => sensitive)
        .flatMap(({ id }) => (Object.hasOwn(inputs, id) ? [inputs[id]] : []))
        .filter((value) => typeof value === 'string' || typeof value === 'number')
        .map(String)
        .slice(0, 100);
