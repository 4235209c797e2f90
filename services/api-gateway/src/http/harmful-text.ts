/** What no text that a stranger sends may contain, in words; null where it is harmless. */
export function harmIn(text: string): string | null {
  // Postgres text cannot hold it.
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}
