import { CliFailure } from '../../failure/cli-failure.ts';

/** The keys so that each comes after those that it needs, otherwise in the given order. Refuses keys that need each other. */
export function orderKeys(keys: readonly string[], needsOf: (key: string) => readonly string[]): string[] {
  const known = new Set(keys);
  const ordered = new Set<string>();
  const visit = (key: string, path: readonly string[]): void => {
    if (ordered.has(key) || !known.has(key)) return;
    if (path.includes(key)) {
      const circle = [...path.slice(path.indexOf(key)), key].join(' needs ');
      throw new CliFailure('usage', `documents need each other, so none can be first: ${circle}`);
    }
    for (const need of needsOf(key)) visit(need, [...path, key]);
    ordered.add(key);
  };
  for (const key of keys) visit(key, []);
  return [...ordered];
}
