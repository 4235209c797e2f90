import { decodingsOf } from './decodings.ts';
import { leastLength, type Range, type TextFinder, unitsOf } from './text-finder.ts';

// Bounded: a chart that prints one long line of letters must not keep the process busy past its heartbeats.
const patterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 ***'],
  [/\b(\w{1,30}:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1***@'],
];

/** The same where a cut has left only the beginning of a credential. */
const cutPatterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{1,7}$/i, '$1 ***'],
  [/\b(\w{1,30}:\/\/)[^\s/@:]+:[^\s/@]*$/, '$1***'],
];
/** `cutText` ends a text with it. */
const cutMark = '…';
/** How far beyond a cut secrets are searched for: the length of a block of the finder if each of its units is escaped. */
const beyondCut = 512;

/** Words with dots. Matched at word starts only, so that a line is scanned once. */
const dottedWord = /(?<![\w-])[\w-]+(?:\.[\w-]+)+/g;
const minJwtLength = 20;

function withoutJwt(word: string): string {
  const at = word.indexOf('eyJ');
  return at === -1 || word.length - at < minJwtLength ? word : `${word.slice(0, at)}***`;
}

/** Removes bearer tokens, JWTs, credentials in URLs and the secrets of this run. */
export function redact(line: string, secrets: TextFinder): string {
  // Skips short lines, which cannot contain any of these: a chart may print a million of them.
  if (line.length < leastLength) return line;
  return withoutTokens(withoutSecrets(line, secrets));
}

const withoutTokens = (line: string): string =>
  patterns
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
    .replace(dottedWord, withoutJwt);

/**
 * The beginning of a text, redacted, of at most `most` units; `…` marks a cut. `plain` may remove characters. A secret that the cut
 * divides would not be recognized, and its beginning would show, so secrets are searched for a little beyond the cut.
 */
export function redactStart(
  text: string,
  most: number,
  secrets: TextFinder,
  plain: (text: string) => string = String,
): string {
  if (text.length <= most) return redact(plain(text), secrets);
  const searched = plain(text.slice(0, most + beyondCut));
  const shown = withoutSecrets(searched, secrets, Math.max(0, Math.min(most, searched.length - beyondCut) - 1));
  const whole = cutPatterns.reduce(
    (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
    withoutTokens(shown),
  );
  return `${withoutCutJwt(whole).toWellFormed()}…`;
}

/** By hand: an expression that ends in `$` is tried at each position of a long word, in quadratic time. */
function withoutCutJwt(text: string): string {
  let from = text.length;
  while (from > 0 && /[\w.-]/.test(text.charAt(from - 1))) from -= 1;
  const at = text.indexOf('eyJ', from);
  return at === -1 ? text : `${text.slice(0, at)}***`;
}

function withoutSecrets(line: string, secrets: TextFinder, most = line.length): string {
  const ranges: Range[] = [];
  // Others may have cut it within a secret.
  const end = line.endsWith(cutMark) ? line.length - cutMark.length : null;
  for (const { units, starts } of decodingsOf(unitsOf(end === null ? line : line.slice(0, end)))) {
    for (const { from, to } of secrets.find(units))
      ranges.push({ from: starts?.[from] ?? from, to: starts?.[to] ?? to });
    const cut = end === null ? -1 : secrets.findCut(units);
    if (end !== null && cut >= 0) ranges.push({ from: starts?.[cut] ?? cut, to: end });
  }
  if (ranges.length === 0) return line.slice(0, most);
  let shown = '';
  let at = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from >= most) break;
    if (from > at || at === 0) shown += `${line.slice(at, from)}***`;
    at = Math.max(at, to);
  }
  return shown + line.slice(at, Math.max(at, most));
}
