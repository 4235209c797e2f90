import { Bug } from '@berth/contracts/errors';
import { CliFailure } from '../failure/cli-failure.ts';
import { editsBetween } from '../text/edits-between.ts';
import { type Kind, kinds } from './kinds.ts';

/** The kind that a user names. */
export function kindNamed(name: string): Kind {
  const found = kinds.find(({ names }) => names.includes(name.toLowerCase()));
  if (found) return found;
  const near = kindsNear(name.toLowerCase());
  const words =
    near.length > 0
      ? `did you mean ${near.map((one) => `\`${one}\``).join(' or ')}?`
      : `known are: ${kinds.map(({ names: [first] }) => first).join(', ')}`;
  throw new CliFailure('usage', `there is no kind ${name}; ${words}`);
}

/** The kind and names of `KIND NAME…`, or of `KIND/NAME…` as `-o name` writes it. */
export function kindAndNames([first = '', ...others]: readonly string[]): { kind: Kind; names: string[] } {
  const [, kindName = first, name] = /^([^/]*)\/(.+)$/.exec(first) ?? [];
  return { kind: kindNamed(kindName), names: name === undefined ? others : [name, ...others] };
}

/** The same, for commands that need a row. */
export function kindWithNames(given: readonly string[]): { kind: Kind; names: string[] } {
  const found = kindAndNames(given);
  if (found.names.length > 0) return found;
  const { names } = found.kind;
  throw new CliFailure(
    'usage',
    `which ${names[1] ?? names[0]}? Give a name or an id: berth get ${names[0]} lists them`,
  );
}

/** What other tools call them. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['app', 'deployments'],
  ['application', 'deployments'],
  ['namespace', 'envs'],
  ['ns', 'envs'],
  ['pod', 'objects'],
  ['project', 'envs'],
  ['release', 'deployments'],
  ['repo', 'registries'],
  ['service', 'objects'],
  ['svc', 'objects'],
]);

/** The kinds that a word of another tool, a beginning or a misspelling may mean. */
function kindsNear(word: string): string[] {
  const foreign = elsewhere.get(word) ?? elsewhere.get(word.replace(/s$/, ''));
  if (foreign !== undefined) return [foreign];
  const isNear = (name: string): boolean =>
    (word.length > 1 && name.startsWith(word)) || editsBetween(word, name) <= (name.length < 6 ? 1 : 2);
  return kinds.filter(({ names }) => names.some(isNear)).map(({ names: [name] }) => name);
}

export function kindOf(resource: Kind['resource']): Kind {
  const found = kinds.find((kind) => kind.resource === resource);
  if (!found) throw new Bug(`no kind has the resource ${resource}`);
  return found;
}
