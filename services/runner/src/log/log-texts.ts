import { piecesOf } from '@berth/contracts/cut-text';
import { redact } from './redact.ts';
import type { TextFinder } from './text-finder.ts';

/** The longest line that the contract of the log allows. */
const maxPiece = 3_000;
const maxPieces = 10;
/** More is not searched for secrets; a log shows less than half of it. */
const maxSearched = 64 * 1024;

/** Removes control characters, on which terminals act, and what PostgreSQL cannot store. */
export const plainText = (text: string): string =>
  text
    .replace(/\p{Cc}\[[0-9;]*m/gu, '')
    .replace(/\p{Cc}/gu, (character) => (character === '\t' ? character : ''))
    .toWellFormed();

/** A line of output as the log shows it: redacted, then cut into pieces. In the other order half a secret could remain. */
export function logTexts(line: string, secrets: TextFinder): string[] {
  const pieces: string[] = [];
  for (const piece of piecesOf(redact(plainText(line.slice(0, maxSearched)), secrets), maxPiece)) {
    if (pieces.push(piece) === maxPieces) break;
  }
  return pieces.length === 0 ? [''] : pieces;
}
