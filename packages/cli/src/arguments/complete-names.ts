import type { Cli } from '../terminal/cli.ts';
import { connect } from '../connection/connect.ts';
import { callsOf } from '../names/calls-of.ts';
import { kindOf } from '../names/kind-named.ts';
import { type Kind, kinds } from '../names/kinds.ts';
import { envScope } from '../names/resolve.ts';

/** With the start of the process, an answer takes at most 300 ms; a later one would hold up the person who types. */
const usualBudgetMs = 200;

const budgetMs = ({ env }: Pick<Cli, 'env'>): number => Number(env['BERTH_COMPLETION_MS']) || usualBudgetMs;

/** The value of a flag among the words before the one that is completed. */
function flagIn(words: readonly string[], ...names: string[]): string | undefined {
  const at = words.findLastIndex((word) => names.includes(word));
  return at < 0 ? undefined : words[at + 1];
}

/** The names that begin with `partial`, of the newest rows of a kind; none if the platform does not answer in time. */
async function completeNames(cli: Cli, kind: Kind, partial: string): Promise<string[]> {
  const { name } = kind;
  if (name === undefined) return [];
  const signal = AbortSignal.timeout(budgetMs(cli));
  try {
    const context = flagIn(cli.words, '--context');
    const client = await connect(cli, context === undefined ? {} : { context }, { signal, patience: { ms: 0 } });
    const scope = kind.inEnv ? await envScope(client, flagIn(cli.words, '-e', '--env')) : {};
    const answer = await callsOf(client, kind).list({ query: { ...scope, per_page: 100 } });
    if (!answer.ok) return [];
    const names = answer.value.items.map((row) => String(row[name]));
    return [...new Set(names)].filter((one) => one.startsWith(partial));
  } catch {
    // Nobody asked for an error while typing.
    return [];
  }
}

/** Completes with names of rows of a kind. */
export const namesOf = (resource: Kind['resource']) =>
  function (this: Cli, partial: string): Promise<string[]> {
    return completeNames(this, kindOf(resource), partial);
  };

const kindAmong = (words: readonly string[]): Kind | undefined =>
  kinds.find(({ names }) => words.some((word) => names.includes(word.toLowerCase())));

/** Completes names of rows after the name of their kind: `get deployment we`, `get deployment/we`. */
export async function completeRows(this: Cli, partial: string): Promise<string[]> {
  const kind = kindAmong(this.words.slice(1));
  if (kind) return completeNames(this, kind, partial);
  const [, prefix = '', kindName = '', begun = ''] = /^(([^/]*)\/)(.*)$/.exec(partial) ?? [];
  const joined = kindAmong([kindName]);
  if (joined) return (await completeNames(this, joined, begun)).map((name) => prefix + name);
  return completeKinds(partial);
}

const completeKinds = (partial: string): string[] =>
  kinds.map(({ names: [name] }) => name).filter((name) => name.startsWith(partial));
