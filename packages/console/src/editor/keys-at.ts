/** The place of a key that is being typed: the keys above it, and where its text begins. */
export interface KeyPlace {
  path: string[];
  from: number;
  indent: string;
}

const keyLine = /^(\s*)("?)([^\s"#:][^"#:]*)\2:\s*(?:#.*)?$/;

/** The place of the key at the cursor; null if it is not on a key, or if the key is in a list. */
export function yamlKeyAt(text: string, at: number): KeyPlace | null {
  const lines = text.slice(0, at).split('\n');
  const typing = /^( *)((?:[^\s:#"'-][^\s:#]*)?)$/.exec(lines.pop() ?? '');
  if (typing === null) return null;
  const [, indent = '', typed = ''] = typing;
  const path: string[] = [];
  let within = indent.length;
  for (const line of lines.toReversed()) {
    if (within === 0) break;
    const own = line.length - line.trimStart().length;
    if (line.trim() === '' || line.trim().startsWith('#') || own >= within) continue;
    const [, , , key] = keyLine.exec(line) ?? [];
    if (key === undefined) return null;
    path.unshift(key.trim());
    within = own;
  }
  return within === 0 ? { path, from: at - typed.length, indent } : null;
}

/** The same for JSON, in which keys are quoted. */
export function jsonKeyAt(text: string, at: number): KeyPlace | null {
  const open: { isList: boolean; key: string }[] = [];
  let key = '';
  let isKey = true;
  for (let index = 0; index < at; index += 1) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index, at);
      if (end === null) {
        const isHere = isKey && open.length > 0 && open.every(({ isList }) => !isList);
        return isHere ? { path: open.slice(1).map((each) => each.key), from: index + 1, indent: '' } : null;
      }
      if (isKey) key = text.slice(index + 1, end);
      index = end;
    } else if (character === '{' || character === '[') {
      open.push({ isList: character === '[', key });
      isKey = character === '{';
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ':') {
      isKey = false;
    } else if (character === ',') {
      isKey = open.at(-1)?.isList === false;
    }
  }
  return null;
}

/** Where the string that begins here ends; null if it does not end before `at`. */
function endOfString(text: string, start: number, at: number): number | null {
  for (let index = start + 1; index < at; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return null;
}

export interface KnownKey {
  path: readonly string[];
  /** What it means, such as the input that sets it. */
  meaning?: string | undefined;
}

export interface NextKey {
  key: string;
  meaning: string | undefined;
  /** Whether other keys are below it. */
  isObject: boolean;
}

/** The known keys directly below a path. */
export function keysBelow(known: readonly KnownKey[], path: readonly string[]): NextKey[] {
  const found = new Map<string, NextKey>();
  for (const { path: full, meaning } of known) {
    const key = full[path.length];
    if (key === undefined || path.some((part, index) => full[index] !== part)) continue;
    const isLeaf = full.length === path.length + 1;
    const before = found.get(key);
    found.set(key, {
      key,
      meaning: (isLeaf ? meaning : undefined) ?? before?.meaning,
      isObject: !isLeaf || (before?.isObject ?? false),
    });
  }
  return [...found.values()];
}
