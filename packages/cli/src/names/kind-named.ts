import { CliFailure } from '../failure/cli-failure.ts';
import { type Kind, kinds } from './kinds.ts';

/** The kind that a user names. */
export function kindNamed(name: string): Kind {
  const found = kinds.find(({ names }) => names.includes(name.toLowerCase()));
  if (found) return found;
  const known = kinds.map(({ names }) => names[0]).join(', ');
  throw new CliFailure('usage', `there is no kind ${name}; known are: ${known}`);
}

export function kindOf(resource: Kind['resource']): Kind {
  const found = kinds.find((kind) => kind.resource === resource);
  if (!found) throw new Error(`no kind has the resource ${resource}`);
  return found;
}
