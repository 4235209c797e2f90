const ellipsis = '…';

/**
 * Text of at most `most` UTF-16 units, as zod and JavaScript count. `…` marks a cut. The result is well-formed: Postgres and
 * readers of the row refuse half a surrogate pair.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  return `${startOf(text, most - ellipsis.length)}${ellipsis}`;
}

/** Like `cutText`, with `sizeOf` as the measure: for limits in bytes, or in characters as escaped on the wire. */
export function cutToSize(text: string, most: number, sizeOf: (text: string) => number): string {
  const whole = text.toWellFormed();
  if (sizeOf(whole) <= most) return whole;
  // Size grows with length, so bisect for the longest prefix that fits.
  let fits = 0;
  let exceeds = whole.length;
  while (exceeds - fits > 1) {
    const middle = (fits + exceeds) >>> 1;
    if (sizeOf(`${startOf(whole, middle)}${ellipsis}`) <= most) fits = middle;
    else exceeds = middle;
  }
  return `${startOf(whole, fits)}${ellipsis}`;
}

/** The first `most` units, or one less if they would end within a character. Nothing is appended. */
export function startOf(text: string, most: number): string {
  const start = text.slice(0, Math.max(0, most));
  return (endsWithin(start) ? start.slice(0, -1) : start).toWellFormed();
}

/** Splits `text` into pieces of at most `most` units, never within a character. */
export function* piecesOf(text: string, most: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + most);
    const isWithin = at + most < text.length && piece.length > 1 && endsWithin(piece);
    const length = isWithin ? piece.length - 1 : piece.length;
    yield text.slice(at, at + length).toWellFormed();
    at += length;
  }
}

const endsWithin = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text);
