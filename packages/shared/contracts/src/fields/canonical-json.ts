/** The same text for equal JSON values, in any order of keys; undefined members count as absent. */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

/** Appends to one list: concatenation would copy the text once per level. */
function write(value: unknown, parts: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      parts.push(index === 0 ? '[' : ',');
      write(item, parts);
    }
    parts.push(value.length === 0 ? '[]' : ']');
  } else if (typeof value !== 'object' || value === null || value instanceof Date) {
    parts.push(JSON.stringify(value) ?? 'null');
  } else {
    writeObject(value as Record<string, unknown>, parts);
  }
}

function writeObject(value: Record<string, unknown>, parts: string[]): void {
  let isFirst = true;
  // Sorting without a comparator orders by UTF-16 units, and is faster.
  for (const key of Object.keys(value).toSorted()) {
    const field = value[key];
    if (field === undefined) continue;
    parts.push(isFirst ? '{' : ',', JSON.stringify(key), ':');
    isFirst = false;
    write(field, parts);
  }
  parts.push(isFirst ? '{}' : '}');
}
