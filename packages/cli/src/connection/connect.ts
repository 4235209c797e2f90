import { type Client, createClient, type Credential } from '@berth/client';
import { type Cli, say } from '../terminal/cli.ts';
import { CliFailure } from '../failure/cli-failure.ts';
import { readContexts } from './contexts.ts';

export interface ConnectionFlags {
  context?: string;
  verbose?: boolean;
}

/** The flags of every command that asks the platform. */
export const connectionFlags = {
  context: { kind: 'parsed', parse: String, brief: 'Name of a context (berth context list)', optional: true },
  verbose: { kind: 'boolean', brief: 'Show each request, without secrets', optional: true, withNegated: false },
} as const;

/** The client for BERTH_URL and BERTH_TOKEN, which win, or for a context. */
export async function connect(cli: Cli, flags: ConnectionFlags): Promise<Client> {
  const { url, token } = await addressOf(cli, flags);
  return clientOf(cli, flags, { url, token });
}

export const clientOf = (
  cli: Cli,
  { verbose }: ConnectionFlags,
  { url, token }: { url: string; token: string },
): Client =>
  createClient({
    baseUrl: url,
    credential: () => credentialOf(token),
    ...(verbose && { fetch: shownFetch(cli) }),
  });

/** A session is a JWT, which has three parts; tokens have two. */
const credentialOf = (token: string): Credential => (token.split('.').length === 3 ? { jwt: token } : { token });

/** Where the platform is, and the token for it. */
export async function addressOf(cli: Cli, { context }: ConnectionFlags): Promise<{ url: string; token: string }> {
  const { BERTH_URL: url, BERTH_TOKEN: token } = cli.env;
  if (context === undefined && url && token) return { url, token };
  const { current, contexts } = await readContexts(cli);
  const name = context ?? current;
  const found = name === null ? undefined : contexts[name];
  if (found) return { url: url && !context ? url : found.url, token: token && !context ? token : found.token };
  throw new CliFailure(
    'usage',
    name === null
      ? 'no platform is known: berth login URL --with-token, or set BERTH_URL and BERTH_TOKEN'
      : `there is no context ${name}; known are: ${Object.keys(contexts).join(', ') || '(none)'}`,
  );
}

const shownFetch =
  (cli: Cli): typeof fetch =>
  async (input, init) => {
    const started = performance.now();
    const answer = await fetch(input, init);
    const ms = Math.round(performance.now() - started);
    say(
      cli,
      `${init?.method ?? 'GET'} ${input instanceof Request ? input.url : input.toString()} ${answer.status} ${ms} ms`,
    );
    return answer;
  };
