/** The value at a path such as `health.state` or `.items[0].name`; undefined if there is none. */
export function selectPath(value: unknown, path: string): unknown {
  let selected = value;
  for (const [key] of path.matchAll(/[^.[\]]+/g)) {
    if (typeof selected !== 'object' || selected === null) return undefined;
    selected = Object.getOwnPropertyDescriptor(selected, key)?.value;
  }
  return selected;
}
