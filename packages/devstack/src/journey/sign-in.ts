import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient, type Credential, type Patience, ProblemError, unwrap } from '@berth/client';
import { signInWithHttp } from '../servers/oidc-sign-in.ts';
import { writePrivately } from '../servers/remembered.ts';
import type { Stack } from '../stack/start-stack.ts';
import { JourneyFailed } from './journey-failed.ts';

interface SignIn {
  stack: Pick<Stack, 'url' | 'stateFolder' | 'people'>;
  signal: AbortSignal;
  patience?: Patience | undefined;
}

const clientOf = ({ stack, signal, patience }: SignIn, credential: Credential | null): Client =>
  createClient({ baseUrl: stack.url, credential: () => credential, signal, ...(patience && { patience }) });

/** A session for a person of the local provider, obtained in the same steps as in a browser. */
export async function signIn(options: SignIn, person: string): Promise<string> {
  const { logins } = clientOf(options, null);
  const { redirect_url } = unwrap(await logins.start());
  const callback = new URL(await signInWithHttp(person, redirect_url));
  const iss = callback.searchParams.get('iss');
  const body = {
    auth_code: callback.searchParams.get('code') ?? '',
    state: callback.searchParams.get('state') ?? '',
    ...(iss !== null && { iss }),
  };
  // A login attempt can be used only once, so repeating is safe: at worst it is refused.
  return unwrap(await logins.finish({ body }, { repeat: true })).access_token;
}

/** An API token of Ada: the one of the last start while it works, else a new one. */
export async function signInAsAda(options: SignIn): Promise<string> {
  const file = join(options.stack.stateFolder, 'ada.token');
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== null && (await works(options, kept))) return kept;

  const api = clientOf(options, { jwt: await signIn(options, 'ada') });
  const me = unwrap(await api.me.get());
  if (!('User' in me)) throw new JourneyFailed('the platform says that the session of Ada is not of a user');
  const { created_token } = unwrap(await api.userTokens.create({ body: { user_id: me.User.id, name: 'local stack' } }));
  await writePrivately(file, created_token);
  return created_token;
}

async function works(options: SignIn, token: string): Promise<boolean> {
  const answer = await clientOf(options, { token }).me.get();
  if (!answer.ok && answer.problem.status !== 401) throw new ProblemError(answer.problem);
  return answer.ok;
}
