/** When a new token expires. */
export const expiryChoices = [
  { id: '7', words: 'in 7 days' },
  { id: '90', words: 'in 90 days' },
  { id: '365', words: 'in a year' },
  { id: 'never', words: 'never' },
] as const;

/** When a token that is issued now expires; null if never. */
export function expiryAt(choice: string, now: Date): string | null {
  const days = Number(choice);
  if (!Number.isFinite(days)) return null;
  const end = new Date(now);
  end.setDate(end.getDate() + days);
  return end.toISOString();
}

const soonMs = 7 * 86_400_000;

/** Whether a token is valid, expires soon, or has expired. */
export function standing(expiresAt: string | null, nowMs: number): 'valid' | 'soon' | 'expired' {
  if (expiresAt === null) return 'valid';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= soonMs ? 'soon' : 'valid';
}
