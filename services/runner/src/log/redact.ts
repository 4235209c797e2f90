// Bounded: a chart that prints one long line of letters must not keep the process busy past its heartbeats.
const patterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\b(\w{1,30}:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1***@'],
];

/** Words with dots. Matched at word starts only, so that a line is scanned once. */
const dottedWord = /(?<![\w-])[\w-]+(?:\.[\w-]+)+/g;
const minJwtLength = 20;

function withoutJwt(word: string): string {
  const at = word.indexOf('eyJ');
  return at === -1 || word.length - at < minJwtLength ? word : `${word.slice(0, at)}***`;
}

/** Removes bearer tokens, JWTs, credentials in URLs and the secrets of this run. */
export const redact = (line: string, secrets: readonly string[]): string => {
  const known = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return patterns
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), known)
    .replace(dottedWord, withoutJwt);
};
