/**
 * The keys so that each comes after those that it needs, otherwise in the given order. Keys that need each other in a circle are
 * reported, and left in the order in which they were met.
 */
export function orderKeys(
  keys: readonly string[],
  needsOf: (key: string) => readonly string[],
  onCircle: (circle: readonly string[]) => void,
): string[] {
  const known = new Set(keys);
  const ordered = new Set<string>();
  const visit = (key: string, path: readonly string[]): void => {
    if (ordered.has(key) || !known.has(key)) return;
    if (path.includes(key)) return onCircle([...path.slice(path.indexOf(key)), key]);
    for (const need of needsOf(key)) visit(need, [...path, key]);
    ordered.add(key);
  };
  for (const key of keys) visit(key, []);
  return [...ordered];
}
