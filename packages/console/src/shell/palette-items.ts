import type { IconName } from '../ui/icons.tsx';

export interface PaletteItem {
  id: string;
  /** What is searched. */
  words: string;
  note?: string | undefined;
  icon: IconName;
  /** Goes there, or does it. */
  run: () => void;
  /** The key that does the same. */
  key?: string | undefined;
}

export interface PaletteSection {
  title: string;
  items: PaletteItem[];
}

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/**
 * How well an item fits, the best 0: what its note is needed for comes after what its own words hold, and words within others after
 * those that begin with what was typed first. Null where a word is not there.
 */
function fit(item: PaletteItem, typed: readonly string[]): number | null {
  const own = fold(item.words);
  const all = fold(`${item.words} ${item.note ?? ''}`);
  if (!typed.every((word) => all.includes(word))) return null;
  const isOwn = typed.every((word) => own.includes(word));
  const [first = ''] = typed;
  const begins = (isOwn ? own : all).split(/[\s/.\-_]+/).some((word) => word.startsWith(first));
  return (isOwn ? 0 : 2) + (begins ? 0 : 1);
}

/** The sections with the items that fit what was typed, the best first; empty sections are left out. */
export function matching(sections: readonly PaletteSection[], text: string, most = 6): PaletteSection[] {
  const typed = fold(text).split(/\s+/).filter(Boolean);
  return sections.flatMap(({ title, items }) => {
    const found = items.flatMap((item) => {
      const how = fit(item, typed);
      return how === null ? [] : [{ item, how }];
    });
    const best = found.toSorted((a, b) => a.how - b.how).slice(0, most);
    return best.length === 0 ? [] : [{ title, items: best.map(({ item }) => item) }];
  });
}
