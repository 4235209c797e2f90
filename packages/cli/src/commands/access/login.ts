import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { clientOf } from '../../connection/connect.ts';
import { readContexts, writeContexts } from '../../connection/contexts.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, say } from '../../terminal/cli.ts';
import { identityWords } from './identity-words.ts';

interface Flags {
  withToken?: boolean;
  browser: boolean;
  name?: string;
  verbose?: boolean;
}

export const login = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Sign in to a platform, and make it the current context',
    fullDescription: [
      'Sign in to a platform in the browser, and make it the current context. The page shows the same text as the terminal; confirm only if they are equal. If the browser is on another computer, use --no-browser: it writes the address to open and asks for the code that the page shows.',
      '',
      'The context is kept in a file that only you can read. --with-token takes a token from standard input, so that neither the history of the shell nor the process list shows it. `berth whoami` says as whom you are signed in, `berth context delete` signs out.',
      '',
      '  berth login https://berth.example.com',
      '  berth login https://berth.example.com --no-browser',
      '  berth login https://berth.example.com --with-token < token',
    ].join('\n'),
  },
  parameters: {
    flags: {
      withToken: {
        kind: 'boolean',
        brief: 'Read a token of a user or bot from standard input',
        optional: true,
        withNegated: false,
      },
      browser: { kind: 'boolean', brief: 'Open the browser; --no-browser takes the code from you', default: true },
      name: { kind: 'parsed', parse: String, brief: 'Name of the context; by default the host', optional: true },
      verbose: { kind: 'boolean', brief: 'Show each request, without secrets', optional: true, withNegated: false },
    },
    positional: { kind: 'tuple', parameters: [{ parse: readUrl, brief: 'URL of the platform', placeholder: 'url' }] },
  },
  async func({ name, withToken, browser, ...flags }, url) {
    const token = withToken ? await readToken(this) : await signIn(this, { url, browser, ...flags });
    const identity = unwrap(await clientOf(this, flags, { url, token }).me.get());
    const known = await readContexts(this);
    const context = name ?? new URL(url).host;
    await writeContexts(this, { current: context, contexts: { ...known.contexts, [context]: { url, token } } });
    say(this, `signed in to ${url} as ${identityWords(identity)}; the context is ${context}`);
  },
});

async function readToken(cli: Cli): Promise<string> {
  const token = (await cli.readInput()).trim();
  if (token === '') throw new CliFailure('usage', 'there was no token on standard input');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CliFailure('usage', 'standard input is not a token');
  return token;
}

/** Loaded only where it is asked for. */
async function signIn(
  cli: Cli,
  { url, browser, ...flags }: { url: string; browser: boolean; verbose?: boolean },
): Promise<string> {
  const { signInElsewhere, signInHere } = await import('./browser-sign-in.ts');
  const client = clientOf(cli, flags, { url, token: null });
  return browser ? signInHere(cli, client) : signInElsewhere(cli, client);
}

function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new CliFailure(
      'usage',
      `${text} is not an http or https URL; \`berth whoami\` says where you are signed in, and as whom`,
    );
  return text.replace(/\/+$/, '');
}
