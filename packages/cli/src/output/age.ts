const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** How long ago a time was, in the largest unit that fits: `3d`. */
export function age(time: string, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1_000));
  if (Number.isNaN(seconds)) return time;
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
