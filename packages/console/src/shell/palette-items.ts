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

/** How well an item fits: 0 where a word of it begins with what was typed first, 1 where the words are within; null where one is not. */
function fit(item: PaletteItem, typed: readonly string[]): number | null {
  const text = fold(`${item.words} ${item.note ?? ''}`);
  if (!typed.every((word) => text.includes(word))) return null;
  const [first = ''] = typed;
  return text.split(/[\s/.\-_]+/).some((word) => word.startsWith(first)) ? 0 : 1;
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
