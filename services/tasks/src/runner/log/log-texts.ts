import { piecesOf } from '@berth/shared/cut-text';
import { redact } from './redact.ts';

/** The owner of the log keeps no longer lines. */
const maxPiece = 3_000;
const maxPieces = 10;

/** Without what no text of ours may hold: terminals act on control characters, and Postgres refuses some of them. */
export const plainText = (text: string): string =>
  text
    .replace(/\p{Cc}\[[0-9;]*m/gu, '')
    .replace(/\p{Cc}/gu, (character) => (character === '\t' ? character : ''))
    .toWellFormed();

/** A line of a process as the log shows it: without secrets, in pieces where it is long. Hidden first, cut later: half a secret is one too. */
export function logTexts(line: string, secrets: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const piece of piecesOf(redact(plainText(line), secrets), maxPiece)) {
    if (pieces.push(piece) === maxPieces) break;
  }
  return pieces.length === 0 ? [''] : pieces;
}
