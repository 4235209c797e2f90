/** A key, an index, or a key in quotes, which may hold dots: `health`, `[0]`, `['app.kubernetes.io/name']`. */
const step = /\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|([^.[\]'"*?@$()\s]+)/g;
const wholePath = new RegExp(String.raw`^(?:\.?(?:${step.source}))*$`);

/** Whether `selectPath` knows every step of the path. */
export const isPath = (path: string): boolean => wholePath.test(path);

/** The value at a path such as `health.state` or `.items[0].name`; undefined if there is none. */
export function selectPath(value: unknown, path: string): unknown {
  let selected = value;
  for (const [, index, single, double, plain] of path.matchAll(step)) {
    if (typeof selected !== 'object' || selected === null) return undefined;
    const key = index ?? single ?? double ?? plain ?? '';
    selected = Object.getOwnPropertyDescriptor(selected, key)?.value;
  }
  return selected;
}
