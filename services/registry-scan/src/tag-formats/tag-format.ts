import { RE2JS } from 're2js';
import { expandedSize } from './expanded-size.ts';

/** What a tag says, by the format that it matches. Null where the format has no such group, or it matched nothing. */
export interface TagParts {
  version: string;
  revision: string | null;
  branch: string | null;
  commit: string | null;
}

/** Why a pattern is no tag format, in words that may follow "pattern:". */
export class UnusablePattern extends Error {
  override readonly name = 'UnusablePattern';
}

/** With this size the slowest tag takes some milliseconds; a format as long as the seeded ones has about 60. */
const maxSize = 1000;

/** Compiles a pattern with groups written `(?<x>…)` or `(?P<x>…)`; the engine takes linear time whatever the pattern. */
export function tagFormat(pattern: string): (tag: string) => TagParts | null {
  if (expandedSize(pattern) > maxSize) throw new UnusablePattern('its counted repeats are too large');
  const expression = compiled(pattern);
  if (expression.programSize() > maxSize * 2) throw new UnusablePattern('it is too large');

  const groups = expression.namedGroups();
  if (!Object.hasOwn(groups, 'version')) throw new UnusablePattern('it has no group named version');

  return (tag) => {
    const matcher = expression.matcher(tag);
    if (!matcher.find()) return null;

    const part = (name: string) => (Object.hasOwn(groups, name) ? matcher.group(name) || null : null);
    const version = part('version');
    // A format that finds an empty version has not understood the tag.
    if (version === null) return null;
    return { version, revision: part('revision'), branch: part('branch'), commit: part('commit') };
  };
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new UnusablePattern(error instanceof Error ? error.message : 'it is not a regular expression');
  }
}
