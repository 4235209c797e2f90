import { piecesOf } from '@berth/contracts/cut-text';
import { redactStart } from './redact.ts';
import type { TextFinder } from './text-finder.ts';

/** The longest line that the contract of the log allows. */
const maxPiece = 3_000;
const maxPieces = 10;
/** Longer texts are cut; the log shows a little less. */
const maxSearched = 32 * 1024;

/** Removes control characters, which terminals interpret, and characters that PostgreSQL cannot store. */
export const plainText = (text: string): string =>
  text
    .replace(/\p{Cc}\[[0-9;]*m/gu, '')
    .replace(/\p{Cc}/gu, (character) => (character === '\t' ? character : ''))
    .toWellFormed();

/** A line of output as the log shows it: first redacted, then cut into pieces, since a cut would hide a secret from redaction. */
export function logTexts(line: string, secrets: TextFinder): string[] {
  const pieces: string[] = [];
  for (const piece of piecesOf(redactStart(line, maxSearched, secrets, plainText), maxPiece)) {
    if (pieces.push(piece) === maxPieces) break;
  }
  return pieces.length === 0 ? [''] : pieces;
}
