/** What text from outside must not contain, in words; null where it is harmless. Postgres can keep neither, as text or within JSON. */
export function harmIn(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

export const isHarmless = (text: string): boolean => harmIn(text) === null;
