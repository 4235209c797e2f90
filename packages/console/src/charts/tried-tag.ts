import { tagFormat, type TagParts, UnusablePattern } from '@berth/chart-archive/tag-format';

interface Format {
  id: string;
  pattern: string;
}

export interface Tried {
  /** The first format that matches, with what it captures. */
  match: { pattern: string; parts: TagParts } | null;
  /** Patterns that are unusable as formats, and why. */
  unusable: { pattern: string; why: string }[];
}

/** How the server would parse a tag: with the same engine, in the same order. */
export function tried(formats: readonly Format[], tag: string): Tried {
  const unusable: Tried['unusable'] = [];
  for (const { pattern } of formats) {
    try {
      const parts = tagFormat(pattern)(tag);
      if (parts !== null) return { match: { pattern, parts }, unusable };
    } catch (error) {
      if (!(error instanceof UnusablePattern)) throw error;
      unusable.push({ pattern, why: error.message });
    }
  }
  return { match: null, unusable };
}
