import { type Client, type ClientOptions, createClient, type Credential } from '@berth/client';
import { type Cli, note, say } from '../terminal/cli.ts';
import { CliFailure } from '../failure/cli-failure.ts';
import { type Contexts, readContexts } from './contexts.ts';
import { createSayOnce } from './say-once.ts';

export interface ConnectionFlags {
  context?: string;
  verbose?: boolean;
  quiet?: boolean;
}

/** The flags of every command that asks the platform. */
export const connectionFlags = {
  context: {
    kind: 'parsed',
    parse: String,
    brief: 'Name of a context (berth context list)',
    optional: true,
    proposeCompletions: completeContexts,
  },
  verbose: { kind: 'boolean', brief: 'Show each request, without secrets', optional: true, withNegated: false },
  quiet: { kind: 'boolean', brief: 'Write answers and errors only', optional: true, withNegated: false },
} as const;

export async function completeContexts(this: Cli, partial: string): Promise<string[]> {
  const known = await readContexts(this).catch(() => null);
  return Object.keys(known?.contexts ?? {}).filter((name) => name.startsWith(partial));
}

/** How requests are sent, if not in the usual way. */
type Manner = Pick<ClientOptions, 'signal' | 'patience'>;

/** The client for BERTH_URL and BERTH_TOKEN, which win, or for a context. */
export async function connect(cli: Cli, flags: ConnectionFlags, manner: Manner = {}): Promise<Client> {
  const { url, token } = await addressOf(cli, flags);
  return clientOf(cli, flags, { url, token, ...manner });
}

export const clientOf = (
  cli: Cli,
  { verbose, quiet = false }: ConnectionFlags,
  { url, token, ...manner }: { url: string; token: string | null } & Manner,
): Client => {
  cli.voice.isQuiet = quiet;
  const sayOnce = createSayOnce((line) => say(cli, line));
  return createClient({
    baseUrl: url,
    credential: () => (token === null ? null : credentialOf(token)),
    patience: {
      ms: 5_000,
      onWait: ({ detail }, ms) => sayOnce(`${detail}; trying again in ${Math.ceil(ms / 1_000)} s`, ms),
    },
    ...(verbose && { fetch: shownFetch(cli) }),
    ...manner,
  });
};

/** A session is a JWT, which has three parts; tokens have two. */
const credentialOf = (token: string): Credential => (token.split('.').length === 3 ? { jwt: token } : { token });

interface Address {
  url: string;
  token: string;
  /** What names them, in words. */
  from: string;
}

/** Where the platform is, and the token for it. The token of a context goes to no other platform than its own. */
export async function addressOf(cli: Cli, { context }: ConnectionFlags): Promise<Address> {
  const { url, token } = context === undefined ? variablesOf(cli) : {};
  if (url && token) return { url, token, from: 'BERTH_URL and BERTH_TOKEN' };
  const { current, contexts } = await readContexts(cli);
  if (url) return contextFor(url, contexts);
  const name = context ?? current;
  const found = name === null ? undefined : contexts[name];
  if (found)
    return {
      url: found.url,
      token: token || found.token,
      from: `context ${name}${token ? ', with BERTH_TOKEN' : ''}`,
    };
  throw new CliFailure(
    'usage',
    name === null
      ? 'no platform is known: berth login URL, or set BERTH_URL and BERTH_TOKEN'
      : `there is no context ${name}; known are: ${Object.keys(contexts).join(', ') || '(none)'}`,
  );
}

/** Checks the variables here: with a wrong one, a request would only fail as if the platform were away. */
function variablesOf({ env }: Pick<Cli, 'env'>): { url?: string | undefined; token?: string | undefined } {
  const { BERTH_URL: url } = env;
  const token = env['BERTH_TOKEN']?.trim();
  if (url && !(/^https?:\/\//.test(url) && URL.canParse(url)))
    throw new CliFailure('usage', `BERTH_URL, ${url}, is not an http or https URL`);
  if (token && !/^[\x21-\x7e]+$/.test(token)) throw new CliFailure('usage', 'BERTH_TOKEN is not a token');
  return { url, token };
}

function contextFor(url: string, contexts: Contexts['contexts']): Address {
  const isSame = (other: string): boolean => other.replace(/\/+$/, '') === url.replace(/\/+$/, '');
  const [name, found] = Object.entries(contexts).find(([, one]) => isSame(one.url)) ?? [];
  if (found) return { ...found, from: `context ${name}, which is the one for BERTH_URL` };
  throw new CliFailure('usage', `no context is for BERTH_URL, ${url}: berth login ${url}, or set BERTH_TOKEN`);
}

const shownFetch =
  (cli: Cli): typeof fetch =>
  async (input, init) => {
    const started = performance.now();
    const answer = await fetch(input, init);
    const ms = Math.round(performance.now() - started);
    note(
      cli,
      `${init?.method ?? 'GET'} ${input instanceof Request ? input.url : input.toString()} ${answer.status} ${ms} ms`,
    );
    return answer;
  };
