/** An identity in words: `user ada@example.test`. */
export function identityWords(identity: object): string {
  const [variant] = Object.entries<Record<string, unknown>>({ ...identity });
  if (!variant) return 'nobody';
  const [kind, { email, display_name, name }] = variant;
  return `${kind.toLowerCase()} ${String(email ?? display_name ?? name)}`;
}
