import type { IconName } from '../ui/icons.tsx';

export interface PaletteItem {
  id: string;
  /** What is searched. */
  words: string;
  note?: string | undefined;
  icon: IconName;
  /** Opens or runs it. */
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
 * How well an item matches; 0 is best. A match that needs the note ranks below one of the item's own words, and a match inside a word
 * below one at its start. Null if a typed word is missing.
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

/** The sections with the items that match, the best first. Empty sections are left out. */
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
