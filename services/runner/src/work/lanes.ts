/** A group of jobs with its own slots; each slot runs one job at a time. */
export interface Lane<Name extends string> {
  readonly name: Name;
  readonly slots: number;
}

export const oneLane = (slots: number): readonly Lane<'all'>[] => [{ name: 'all', slots }];

/** A quarter of the slots is for deployments that took long the last time, so that these delay only one another. */
export function quickAndSlow(slots: number): readonly Lane<'quick' | 'slow'>[] {
  const slow = Math.ceil(slots / 4);
  return [
    { name: 'quick', slots: slots - slow },
    { name: 'slow', slots: slow },
  ];
}
