import { CliFailure } from '../failure/cli-failure.ts';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `90s`, `10m`, `1h` or `1m30s` in ms. */
export function parseDuration(text: string): number {
  if (!/^(?:\d{1,6}[smh])+$/.test(text)) throw new CliFailure('usage', `a time is such as 90s, 10m or 1h, not ${text}`);
  const parts = [...text.matchAll(/(\d+)([smh])/g)];
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * (units[unit] ?? 0), 0);
}

export const durationFlag = (brief: string) =>
  ({ kind: 'parsed', parse: parseDuration, brief, optional: true }) as const;
