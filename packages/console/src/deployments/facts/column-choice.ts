/** Columns that are hidden unless somebody chooses them. */
const onDemand: readonly string[] = ['Namespace', 'Created'];
/** Columns that identify a row. */
const always: readonly string[] = ['Choose', 'State', 'Name'];

/** The columns that differ from the default, as kept in the browser. Anything else that is kept there is ignored. */
export function readSwitched(kept: string | null): string[] {
  try {
    const titles: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(titles) ? titles.filter((title) => typeof title === 'string').slice(0, 30) : [];
  } catch {
    return [];
  }
}

/** Whether a column can be hidden. A column that a later version adds has its default. */
export const isOptional = (title: string): boolean => !always.includes(title);

export const isShown = (title: string, switched: readonly string[]): boolean =>
  always.includes(title) || onDemand.includes(title) === switched.includes(title);

/** The columns that differ from the default if exactly these are shown. */
export const switchedFor = (titles: readonly string[], shown: ReadonlySet<string>): string[] =>
  titles.filter((title) => isOptional(title) && onDemand.includes(title) === shown.has(title));
