import { cutText } from '@berth/contracts/cut-text';
import { canonicalJson } from '@berth/contracts/fields/canonical-json';
import { isJsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { compareDecimals, decimalOf, isOnStep } from '../form/decimal.ts';
import type { Input, SingleType } from '../form/input.ts';

/** The rule that a value breaks, in words; undefined if there is none. */
type Check = (value: JsonValue) => string | undefined;
/** Created once for all items of a list. */
type InputRule = (input: Input) => Check;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const runDays = /^(?:[0-6](?:,[0-6])*)?$/;
const schedule = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const text: InputRule = () => (value) => (typeof value === 'string' ? undefined : 'must be a text');

const checkbox: InputRule = () => (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const collectionSelect: InputRule = () => (value) =>
  typeof value === 'string' && uuid.test(value) ? undefined : 'must be the id of an item';

const number: InputRule =
  ({ minimum, maximum, step }) =>
  (value) => {
    const decimal = typeof value === 'number' ? decimalOf(value) : undefined;
    if (decimal === undefined) return 'must be a number';
    if (minimum !== undefined && compareDecimals(decimal, minimum) < 0) return `must be at least ${minimum}`;
    if (maximum !== undefined && compareDecimals(decimal, maximum) > 0) return `must be at most ${maximum}`;
    if (step === undefined || isOnStep(decimal, { base: minimum ?? '0', step })) return undefined;
    return `must be ${minimum ?? '0'} or a number of steps of ${step} from it`;
  };

/** The length of the options in an error, which help with misspellings. */
const shownOptions = 500;

const radioSelect: InputRule = ({ options = [] }) => {
  // A set of JSON texts: comparing every item with every option could take millions of comparisons.
  const texts = new Set(options.map((option) => canonicalJson(option.value)));
  const all = options.map((option) => JSON.stringify(option.value)).join(', ');
  const message = `must be one of ${cutText(all, shownOptions)}`;
  return (value) => (texts.has(canonicalJson(value)) ? undefined : message);
};

const daysAndHour: InputRule = () => (value) => {
  const shape = 'must be {run_days, schedule} with days such as "0,1,6" (0 is Sunday) and a time such as "23:15"';
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return shape;
  const fits = (text: JsonValue | undefined, pattern: RegExp) => typeof text === 'string' && pattern.test(text);
  return fits(value.run_days, runDays) && fits(value.schedule, schedule) ? undefined : shape;
};

/** A line per type of input; a missing one is a type error. */
export const inputRules: Record<SingleType, InputRule> = {
  text,
  number,
  Checkbox: checkbox,
  RadioSelect: radioSelect,
  CollectionSelect: collectionSelect,
  DaysAndHour: daysAndHour,
};
