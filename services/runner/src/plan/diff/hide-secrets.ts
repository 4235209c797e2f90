import type { PlannedField } from '@berth/contracts/resources/tasks/deployment-plans';
import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import { isJsonObject, type JsonValue } from '@berth/contracts/fields/json';
import { withoutEnds } from '../../log/known-secrets.ts';
import { redact } from '../../log/redact.ts';
import type { TextFinder } from '../../log/text-finder.ts';
import type { FieldChange } from './diff-fields.ts';

/** The secrets that plans hide. */
export interface Hidden {
  /** Contents of secrets and sensitive inputs, also quoted and encoded; searched for in longer texts. */
  texts: TextFinder;
  /** The plain texts, including those too short to search for. */
  whole: ReadonlySet<string>;
}

/** Short secrets are hidden only as whole values, and those of one or two characters not at all. */
const leastWhole = 3;

export function hiddenOf(
  { secrets, confidential }: Pick<DryRun, 'secrets' | 'confidential'>,
  texts: TextFinder,
): Hidden {
  const whole = [...Object.values(secrets).flatMap((entries) => Object.values(entries)), ...confidential];
  return { texts, whole: new Set(whole.flatMap(withoutEnds).filter(({ length }) => length >= leastWhole)) };
}

/** Names of fields in which charts put secrets. */
const secretName = /pass(?:word|wd|phrase)?|secret|token|credential|api[_-]?key|private[_-]?key|dsn$/i;

/** A digest of a secret allows guesses to be verified. */
const digestName = /^checksum\/|sha(?:1|256|512)|-(?:hash|checksum)$/i;

export interface FieldOf {
  /** True in a Secret, or if the field may contain a secret: only its name is shown. */
  isHidden: boolean;
}

/** The change with its pointer, without values if one of them may be secret. */
export function plannedField(change: FieldChange, { isHidden }: FieldOf, hidden: Hidden): PlannedField {
  const path = redact(pointerOf(change.path), hidden.texts);
  const sides = [change.before, change.after];
  const last = change.path.at(-1) ?? '';
  if (
    isHidden ||
    change.followsSecret ||
    isNamedSecret(change.path) ||
    sides.some((side) => isCalledSecret(last, side) || holdsSecret(side, hidden))
  ) {
    return { path, hidden: true };
  }
  const { before, after } = change;
  return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }), hidden: false };
}

const pointerOf = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A variable or key whose name suggests a secret, or an annotation with a digest. The source of a variable is not secret. */
function isNamedSecret(path: readonly string[]): boolean {
  const annotation = path[path.indexOf('annotations') + 1];
  if (path.includes('annotations') && annotation !== undefined && digestName.test(annotation)) return true;
  const last = path.at(-1) ?? '';
  const item = last === 'value' ? (path.at(-2) ?? '') : '';
  return item.startsWith('name=') ? secretName.test(item) : path.includes('data') && secretName.test(last);
}

/** Only texts count: whether a token is mounted, or its lifetime, is not secret. */
const isCalledSecret = (name: string, value: JsonValue | undefined): boolean =>
  typeof value === 'string' && secretName.test(name) && name !== 'secretName';

function holdsSecret(value: JsonValue | undefined, hidden: Hidden): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holdsSecret(item, hidden));
  if (isJsonObject(value)) {
    const { name } = value;
    // A whole item of `env` that was added or removed.
    if (typeof name === 'string' && 'value' in value && secretName.test(name)) return true;
    return Object.entries(value).some(
      ([key, item]) => holdsSecret(key, hidden) || isCalledSecret(key, item) || holdsSecret(item, hidden),
    );
  }
  const text = String(value);
  return hidden.whole.has(text) || redact(text, hidden.texts) !== text;
}
