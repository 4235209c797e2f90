import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { signInWithHttp } from '../servers/oidc-sign-in.ts';
import { writePrivately } from '../servers/remembered.ts';
import type { Stack } from '../stack/start-stack.ts';
import { type ApiClientOptions, ApiProblem, createApiClient } from './api-client.ts';
import type { Patience } from './patience.ts';
import { CreatedToken, Me } from './rows.ts';

interface SignIn {
  stack: Pick<Stack, 'url' | 'stateFolder' | 'people'>;
  signal: AbortSignal;
  patience?: Patience | undefined;
}

const LoginStart = z.object({ redirect_url: z.url(), state: z.string() });
const Session = z.object({ access_token: z.string() });

/** A session of a person of the local provider, by the same steps that a browser takes. */
export async function signIn({ stack, signal, patience }: SignIn, person: string): Promise<string> {
  const anonymous = createApiClient({ url: stack.url, signal, patience });
  const { redirect_url } = await anonymous.get('/auth/idp', LoginStart);
  const callback = new URL(await signInWithHttp(person, redirect_url));
  const body = {
    auth_code: callback.searchParams.get('code'),
    state: callback.searchParams.get('state'),
    ...(callback.searchParams.has('iss') && { iss: callback.searchParams.get('iss') }),
  };
  const { access_token } = await anonymous.send('POST', '/auth/idp/callback', body, Session);
  return access_token;
}

/** An API token of Ada's: the one of the last start where it still works, else a new one. */
export async function signInAsAda({ stack, signal, patience }: SignIn): Promise<string> {
  const file = join(stack.stateFolder, 'ada.token');
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== null && (await works({ url: stack.url, signal, patience }, kept))) return kept;

  const session = await signIn({ stack, signal, patience }, 'ada');
  const api = createApiClient({
    url: stack.url,
    credential: { header: 'authorization', value: `Bearer ${session}` },
    signal,
    patience,
  });
  const { User } = await api.get('/auth/me', Me);
  const { created_token } = await api.send(
    'POST',
    '/user-tokens',
    { user_id: User.id, name: 'local stack' },
    CreatedToken,
  );
  await writePrivately(file, created_token);
  return created_token;
}

async function works(client: ApiClientOptions, value: string): Promise<boolean> {
  try {
    await createApiClient({ ...client, credential: { header: 'x-service-token', value } }).get('/auth/me', Me);
    return true;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return false;
    throw error;
  }
}
