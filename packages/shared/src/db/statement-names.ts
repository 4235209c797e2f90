const maxNames = 200;
const maxCounted = 2_000;
const worthPreparing = 3;

/**
 * Names for statements that come again and again, so that Postgres parses and plans them once per connection.
 * Each name costs memory in every connection, so rare ones get none and there is an end to them.
 */
export function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  let seen = new Map<string, number>();

  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= maxNames) return name;

    const times = (seen.get(text) ?? 0) + 1;
    if (times < worthPreparing) {
      if (seen.size >= maxCounted) seen = new Map();
      seen.set(text, times);
      return undefined;
    }
    seen.delete(text);
    names.set(text, `s${names.size}`);
    return names.get(text);
  };
}
