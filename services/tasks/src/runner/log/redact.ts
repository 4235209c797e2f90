// Without bounds a chart that prints a long line of letters would keep the process busy past its heartbeats.
const patterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\b(\w{1,30}:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1***@'],
];

/** Words with dots in them. Only their beginnings are tried, so that a line is walked over once. */
const dottedWord = /(?<![\w-])[\w-]+(?:\.[\w-]+)+/g;
const jwtAtLeast = 20;

function withoutJwt(word: string): string {
  const at = word.indexOf('eyJ');
  return at === -1 || word.length - at < jwtAtLeast ? word : `${word.slice(0, at)}***`;
}

/** What a log line never carries, wherever it came from: bearer tokens, JWTs, credentials in URLs, long secret values of this run. */
export const redact = (line: string, secrets: readonly string[]): string => {
  const known = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return patterns
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), known)
    .replace(dottedWord, withoutJwt);
};
