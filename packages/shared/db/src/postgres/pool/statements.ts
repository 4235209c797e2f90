import type { Query } from '../../database.ts';

export interface Statement {
  text: string;
  values?: unknown[];
  name?: string;
}

/**
 * A comment that makes Postgres plan the statement anew for its values. A cached plan ignores values: it expects that part of
 * a name matches few rows, so it reads and sorts all matches.
 */
export const plannedForItsValues = '/* planned for its values */';

const maxNames = 200;
const maxRemembered = 2_000;
const worthPreparing = 3;

interface Known {
  text: string;
  times: number;
  name?: string;
}

/**
 * A query as pg receives it. Frequent statements get a name, so that Postgres parses and plans them once per connection. Each
 * name costs memory in every connection, so rare statements get none and the number is limited.
 */
export function statements(): (query: Pick<Query, 'sql' | 'values'>) => Statement {
  const named = new Map<string, Known>();
  let others = new Map<string, Known>();

  const known = (sql: string): Known => {
    const found = named.get(sql) ?? others.get(sql);
    if (found !== undefined) return found;
    if (others.size >= maxRemembered) others = new Map();
    // slonik has placeholders of its own until the query is complete.
    const made = { text: sql.replaceAll('$slonik_', '$'), times: 0 };
    others.set(sql, made);
    return made;
  };

  return ({ sql, values }) => {
    const statement = known(sql);
    if (statement.name !== undefined) return { text: statement.text, values: [...values], name: statement.name };

    statement.times += 1;
    if (statement.times >= worthPreparing && named.size < maxNames && !sql.includes(plannedForItsValues)) {
      statement.name = `s${named.size}`;
      named.set(sql, statement);
      others.delete(sql);
    }
    return { text: statement.text, values: [...values] };
  };
}
