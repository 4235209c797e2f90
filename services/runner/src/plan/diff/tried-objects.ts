import type { DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { cutText } from '@berth/contracts/cut-text';
import { sameJson } from '@berth/contracts/fields/json';
import { redact } from '../../log/redact.ts';
import { keyOf } from '../../manifests/kube-object.ts';
import { whoCanGrant } from '../../outcome/who-can-grant.ts';
import { hiddenName } from './diff-fields.ts';
import type { DesiredObject, Manifests } from './diff-manifests.ts';

/** What the cluster said of an object. */
export interface Tried {
  /** As `keyOf` names the object. */
  key: string;
  outcome: 'taken' | { refused: string } | { untried: string };
}

type Planned = DryRunResult['objects'][number];

/** An answer that is not a success. */
interface Refused {
  status: number;
  message: string;
}

const missing = { untried: 'they need objects that the chart creates before them' };

/** What a refusal means for the plan; `created` are the names of objects that the deploy would create. */
export function meaningOfRefusal(
  { status, message }: Refused,
  { created, isGrantUnbound }: { created: ReadonlySet<string>; isGrantUnbound: boolean },
): Tried['outcome'] {
  const words = message.replace(/^the API server answered \d+(?: \w+)?(?:: )?/, '');
  if (/does not support dry run/i.test(words))
    return { untried: 'an admission webhook of the cluster cannot try them' };
  if (/not found/i.test(words) && namesIn(words).some((name) => created.has(name))) return missing;
  const isWithoutRight = /cannot \w+ resource|not currently held/.test(words);
  if (isWithoutRight && isGrantUnbound)
    return { untried: 'the ClusterRoles that are granted are bound by a deploy only' };
  if (isWithoutRight) return { refused: `${words}. ${whoCanGrant}` };
  // The server says this with 500.
  const isTyped = /field not declared in schema|failed to create typed patch/.test(words);
  if (isTyped || [400, 403, 409, 413, 422].includes(status)) return { refused: words };
  return { untried: `the cluster answered ${status}` };
}

const namesIn = (words: string): string[] => [...words.matchAll(/"([^"]{1,253})"/g)].map(([, name = '']) => name);

const mostCharacters = 280;

type Side = Pick<Manifests, 'marked' | 'hidden'> & { wanted: readonly DesiredObject[] };

/** Marks the objects that the cluster would refuse as blocked, with its words, including hooks and objects that would not change. */
export function markRefused(planned: readonly Planned[], tried: readonly Tried[], sides: Side): Planned[] {
  const refused = blockedObjects(tried, sides);
  if (refused.length === 0) return [...planned];
  const known = new Map(planned.map((object) => [nameOf(object), object]));
  // These say the same, with the field.
  const added = refused.filter((object) => !isBlocked(known.get(nameOf(object))));
  const names = new Set(added.map(nameOf));
  const changed = added.map((object) => ({ ...object, fields: known.get(nameOf(object))?.fields ?? [] }));
  return [...changed, ...planned.filter((object) => !names.has(nameOf(object)))];
}

function blockedObjects(tried: readonly Tried[], { wanted, marked, hidden }: Side): Planned[] {
  const refusals = new Map(tried.flatMap(({ key, outcome }) => (isRefused(outcome) ? [[key, outcome.refused]] : [])));
  if (refusals.size === 0) return [];
  const markedByKey = Array.isArray(marked) ? new Map(marked.map((object) => [keyOf(object), object])) : null;
  return wanted.flatMap((object) => {
    const words = refusals.get(keyOf(object));
    if (words === undefined) return [];
    const { apiVersion: api_version, kind, namespace } = object;
    const markedObject = markedByKey === null ? object : (markedByKey.get(keyOf(object)) ?? null);
    const name = markedObject === null ? hiddenName : object.name;
    const isPlain =
      kind !== 'Secret' &&
      marked !== 'unknown' &&
      markedObject !== null &&
      sameJson(markedObject.content, object.content);
    const reason = isPlain
      ? `The cluster refuses it: ${cutText(redact(words, hidden.texts), mostCharacters)}`
      : 'The cluster refuses it. Its words are not shown, since the object is made from a secret';
    return [{ action: 'blocked' as const, api_version, kind, namespace, name, reason, fields: [] }];
  });
}

const isRefused = (outcome: Tried['outcome']): outcome is { refused: string } =>
  typeof outcome === 'object' && 'refused' in outcome;

const isBlocked = (object: Planned | undefined): boolean =>
  object?.action === 'replace' || object?.action === 'blocked';

const nameOf = ({ api_version, kind, namespace, name }: Planned): string =>
  JSON.stringify([api_version, kind, namespace, name]);

type Untried = NonNullable<DryRunResult['untried']>[number];
const mostReasons = 20;
const mostExamples = 10;

/** The objects that were not tried, by reason. */
export function untriedObjects(
  tried: readonly Tried[],
  { wanted, marked }: Pick<Side, 'wanted' | 'marked'>,
): Untried[] {
  const objects = new Map(wanted.map((object) => [keyOf(object), object]));
  const known = Array.isArray(marked) ? new Set(marked.map(keyOf)) : null;
  const groups = new Map<string, Untried>();
  for (const { key, outcome } of tried) {
    const object = objects.get(key);
    if (!object || typeof outcome === 'string' || !('untried' in outcome)) continue;
    const group = groups.get(outcome.untried) ?? { reason: outcome.untried, objects: 0, examples: [] };
    group.objects += 1;
    const name = known === null || known.has(key) || object.isOurs ? object.name : hiddenName;
    if (group.examples.length < mostExamples) group.examples.push(cutText(`${object.kind} ${name}`, 300));
    groups.set(outcome.untried, group);
  }
  return [...groups.values()].slice(0, mostReasons);
}
