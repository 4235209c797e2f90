import { decodingsOf } from './decodings.ts';
import { leastLength, type Range, type TextFinder, unitsOf } from './text-finder.ts';

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
export function redact(line: string, secrets: TextFinder): string {
  // Skips short lines, which cannot contain any of these: a chart may print a million of them.
  if (line.length < leastLength) return line;
  return patterns
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), withoutSecrets(line, secrets))
    .replace(dottedWord, withoutJwt);
}

function withoutSecrets(line: string, secrets: TextFinder): string {
  const ranges: Range[] = [];
  for (const { units, starts } of decodingsOf(unitsOf(line))) {
    for (const { from, to } of secrets.find(units))
      ranges.push({ from: starts?.[from] ?? from, to: starts?.[to] ?? to });
  }
  if (ranges.length === 0) return line;
  let shown = '';
  let at = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from > at || at === 0) shown += `${line.slice(at, from)}***`;
    at = Math.max(at, to);
  }
  return shown + line.slice(at);
}
