import { RE2JS } from 're2js';
import { expandedSize } from './expanded-size.ts';

/** The parts of a tag that a format captured. Null if the format has no such group or the group matched nothing. */
export interface TagParts {
  version: string;
  revision: string | null;
  branch: string | null;
  commit: string | null;
}

/** Why a pattern is not a tag format, worded to follow "body.pattern: ". */
export class UnusablePattern extends Error {
  override readonly name = 'UnusablePattern';
}

/** At this size the slowest tag takes a few milliseconds; the seeded formats have a size of about 60. */
const maxSize = 1000;

/** Compiles a pattern with groups written `(?<x>…)` or `(?P<x>…)`. The engine runs in linear time. */
export function tagFormat(pattern: string): (tag: string) => TagParts | null {
  if (expandedSize(pattern) > maxSize) throw new UnusablePattern('must not have counted repeats this large');
  const expression = compiled(pattern);
  if (expression.programSize() > maxSize * 2) throw new UnusablePattern('must not be this large when compiled');

  const groups = expression.namedGroups();
  if (!Object.hasOwn(groups, 'version')) throw new UnusablePattern('must have a group named version');

  return (tag) => {
    const matcher = expression.matcher(tag);
    if (!matcher.find()) return null;

    const part = (name: string) => (Object.hasOwn(groups, name) ? matcher.group(name) || null : null);
    const version = part('version');
    // A format that captures an empty version does not match the tag.
    if (version === null) return null;
    return { version, revision: part('revision'), branch: part('branch'), commit: part('commit') };
  };
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new UnusablePattern(error instanceof Error ? error.message : 'must be a regular expression');
  }
}
