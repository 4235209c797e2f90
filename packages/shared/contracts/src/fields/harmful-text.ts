/** Describes what Postgres cannot store in a text or within JSON; null if the text is harmless. */
export function harmIn(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

export const isHarmless = (text: string): boolean => harmIn(text) === null;
