/** Shorter reasons are shown as they are. */
const longOf = 160;
const shortest = 40;

interface ReasonWords {
  head: string;
  /** Empty if the head says it all. */
  rest: string;
}

/** Splits a long reason after its first clause of some length. The rest repeats what the causes say. */
export function reasonWords(reason: string): ReasonWords {
  const end = reason.length > longOf ? reason.slice(shortest, longOf).search(/[;:.] /) : -1;
  if (end < 0) return { head: reason, rest: '' };
  const at = shortest + end;
  return { head: `${reason.slice(0, at)}.`, rest: reason.slice(at + 1).trimStart() };
}

/** The message of a cause, which often begins with the cause itself. */
export function messageOf({ cause, message }: { cause: string; message: string }): string {
  const prefix = `${cause}: `.toLowerCase();
  return message.toLowerCase().startsWith(prefix) ? message.slice(prefix.length) : message;
}
