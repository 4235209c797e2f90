import { describe, expect, it } from 'vitest';
import { dayOf, daysOf, monthAfter, readMonth } from './month-of.ts';

describe('a month of the calendar', () => {
  it('has whole weeks from Monday', () => {
    const days = daysOf('2026-11');
    expect(days).toHaveLength(42);
    expect(days[0]).toEqual({ date: '2026-10-26', isOfMonth: false });
    expect(days.at(-1)).toEqual({ date: '2026-12-06', isOfMonth: false });
    expect(days.filter(({ isOfMonth }) => isOfMonth)).toHaveLength(30);
    expect(daysOf('2027-02')).toHaveLength(28);
  });

  it('is followed by the next month, across years', () => {
    expect(monthAfter('2026-12', 1)).toBe('2027-01');
    expect(monthAfter('2026-01', -1)).toBe('2025-12');
  });

  it('is the current month if the address names none', () => {
    const today = new Date(2026, 10, 5);
    expect(readMonth(undefined, today)).toBe('2026-11');
    expect(readMonth('2026-13', today)).toBe('2026-11');
    expect(readMonth('2027-02', today)).toBe('2027-02');
    expect(dayOf(today)).toBe('2026-11-05');
  });
});
