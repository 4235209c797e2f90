/** Names get a label of their own; the others share one. */
export const namedInMetrics = 50;

/** Keeps the oldest rows by name, since those need attention, and merges all others into one. */
export function oldestNamed<Row extends { name: string; at: number }>(
  rows: readonly Row[],
  together: (others: readonly Row[]) => Row,
): Row[] {
  const oldestFirst = rows.toSorted((one, other) => one.at - other.at);
  const others = oldestFirst.slice(namedInMetrics);
  const named = oldestFirst.slice(0, namedInMetrics);
  return others.length === 0 ? named : [...named, together(others)];
}

/** Names of a counter, whose series must not end: the first ones are kept, later ones become `others`. */
export function firstNamed(others: string): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < namedInMetrics) known.add(name);
    return known.has(name) ? name : others;
  };
}
