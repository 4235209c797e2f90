/** Jobs with slots of their own, of which each runs one job at a time. */
export interface Lane<Name extends string> {
  readonly name: Name;
  readonly slots: number;
}

export const oneLane = (slots: number): readonly Lane<'all'>[] => [{ name: 'all', slots }];

/** A quarter of the slots is for deployments that took long the last time: they delay one another only. */
export function quickAndSlow(slots: number): readonly Lane<'quick' | 'slow'>[] {
  const slow = Math.ceil(slots / 4);
  return [
    { name: 'quick', slots: slots - slow },
    { name: 'slow', slots: slow },
  ];
}
