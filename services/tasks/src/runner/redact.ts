/** What a log line never carries, wherever it came from: bearer tokens, JWTs, credentials in URLs, long secret values of this run. */
const patterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]+)?/g, '***'],
  [/(\w+:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1***@'],
];

export const redact = (line: string, secrets: readonly string[]): string => {
  const known = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), known);
};
