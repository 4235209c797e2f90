const token = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/**
 * Estimates the size of a pattern with its counted repeats expanded: `(a{100}){10}` is 1000. The engine reports a size
 * only after expanding them, which takes a second for the worst 500 characters.
 */
export function expandedSize(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [text, atLeast, atMost] of pattern.matchAll(token)) {
    if (text === '(') {
      outer.push(sum);
      sum = 0;
      last = 0;
    } else if (text === ')') {
      last = sum + 1;
      sum = (outer.pop() ?? 0) + last;
    } else if (atLeast === undefined) {
      last = text.startsWith('\\Q') ? text.length : 1;
      sum += last;
    } else {
      const times = Math.max(Number(atLeast) + 1, Number(atMost ?? 0));
      sum += last * (times - 1);
      last *= times;
    }
  }
  return sum;
}
