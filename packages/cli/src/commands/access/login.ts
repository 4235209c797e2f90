import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { type Cli, say } from '../../terminal/cli.ts';
import { clientOf } from '../../connection/connect.ts';
import { readContexts, writeContexts } from '../../connection/contexts.ts';
import { CliFailure } from '../../failure/cli-failure.ts';

interface Flags {
  withToken: boolean;
  name?: string;
}

export const login = buildCommand<Flags, [string], Cli>({
  docs: {
    brief: 'Keep a platform and a token as the current context',
    fullDescription:
      'Keep a platform and a token as the current context, in a file that only you can read. The token is read from standard input, so that neither history nor process list shows it.\n\n  berth login https://berth.example.com --with-token < token',
  },
  parameters: {
    flags: {
      withToken: { kind: 'boolean', brief: 'Read a token of a user or bot from standard input', withNegated: false },
      name: { kind: 'parsed', parse: String, brief: 'Name of the context; by default the host', optional: true },
    },
    positional: { kind: 'tuple', parameters: [{ parse: readUrl, brief: 'URL of the platform', placeholder: 'url' }] },
  },
  async func({ name }, url) {
    const token = (await this.readInput()).trim();
    if (token === '') throw new CliFailure('usage', 'there was no token on standard input');
    if (!/^[\x21-\x7e]+$/.test(token)) throw new CliFailure('usage', 'standard input is not a token');
    const identity = unwrap(await clientOf(this, {}, { url, token }).me.get());
    const known = await readContexts(this);
    const context = name ?? new URL(url).host;
    await writeContexts(this, { current: context, contexts: { ...known.contexts, [context]: { url, token } } });
    say(this, `signed in to ${url} as ${nameOf(identity)}; the context is ${context}`);
  },
});

function nameOf(identity: object): string {
  const [variant] = Object.entries<Record<string, unknown>>({ ...identity });
  if (!variant) return 'nobody';
  const [kind, { email, display_name, name }] = variant;
  return `${kind.toLowerCase()} ${String(email ?? display_name ?? name)}`;
}

function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new CliFailure('usage', `${text} is not an http or https URL`);
  return text.replace(/\/+$/, '');
}
