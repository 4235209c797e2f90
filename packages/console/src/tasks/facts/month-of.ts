export interface Day {
  /** `2026-11-25`, in the zone of the viewer. */
  date: string;
  /** False for the days of neighbouring months that fill the first and last week. */
  isOfMonth: boolean;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** The day of a time, in the zone of the viewer. */
export const dayOf = (time: Date): string => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

/** A month such as `2026-11`; the current month for anything else. */
export function readMonth(given: string | undefined, today: Date): string {
  return given !== undefined && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(given) ? given : dayOf(today).slice(0, 7);
}

const firstOf = (month: string): Date => new Date(Number(month.slice(0, 4)), Number(month.slice(5)) - 1, 1);

export function monthAfter(month: string, by: number): string {
  const first = firstOf(month);
  return dayOf(new Date(first.getFullYear(), first.getMonth() + by, 1)).slice(0, 7);
}

/** The whole weeks of a month, from Monday. */
export function daysOf(month: string): Day[] {
  const first = firstOf(month);
  const before = (first.getDay() + 6) % 7;
  const inMonth = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate();
  const cells = Math.ceil((before + inMonth) / 7) * 7;
  return Array.from({ length: cells }, (_, index) => {
    const date = dayOf(new Date(first.getFullYear(), first.getMonth(), 1 - before + index));
    return { date, isOfMonth: date.startsWith(month) };
  });
}
