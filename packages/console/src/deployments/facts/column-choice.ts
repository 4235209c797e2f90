/** Columns that are shown only if somebody asks for them. */
const onDemand: readonly string[] = ['Namespace', 'Created'];
/** Without these a row does not say what it is. */
const always: readonly string[] = ['Choose', 'State', 'Name'];

/** The columns that are not as they are at first, as kept in the browser. What it cannot mean is left out. */
export function readSwitched(kept: string | null): string[] {
  try {
    const titles: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(titles) ? titles.filter((title) => typeof title === 'string').slice(0, 30) : [];
  } catch {
    return [];
  }
}

/** Those that a person can show and hide. A column that comes with a later version is shown as it is at first. */
export const isOptional = (title: string): boolean => !always.includes(title);

export const isShown = (title: string, switched: readonly string[]): boolean =>
  always.includes(title) || onDemand.includes(title) === switched.includes(title);

/** What is switched once exactly these are shown. */
export const switchedFor = (titles: readonly string[], shown: ReadonlySet<string>): string[] =>
  titles.filter((title) => isOptional(title) && onDemand.includes(title) === shown.has(title));
