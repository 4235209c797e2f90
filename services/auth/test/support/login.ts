import { createHash, randomBytes } from 'node:crypto';
import { signInWithHttp } from '@berth/devstack/servers/oidc-sign-in';
import type { Bus } from '@berth/bus/bus';
import { logins } from '@berth/contracts/resources/accounts/logins';

export interface Attempt {
  redirect_url: string;
  state: string;
  verifier: string;
  confirmation?: string | undefined;
}

/** The parameters with which the provider redirected the browser back. */
export interface Returned {
  auth_code: string;
  state: string;
  iss: string;
}

export const startLogin = async (gateway: Bus, hand_to?: string): Promise<Attempt> => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return {
    ...(await gateway.call(logins.operations.start, {
      query: { challenge, ...(hand_to !== undefined && { hand_to }) },
    })),
    verifier,
  };
};

export async function atTheProvider(
  { redirect_url }: Pick<Attempt, 'redirect_url'>,
  person: string,
): Promise<Returned> {
  const { searchParams } = new URL(await signInWithHttp(person, redirect_url));
  const [auth_code, state, iss] = ['code', 'state', 'iss'].map((name) => searchParams.get(name) ?? '');
  return { auth_code: auth_code ?? '', state: state ?? '', iss: iss ?? '' };
}

export const finishLogin = (
  gateway: Bus,
  body: Partial<Returned> & Pick<Returned, 'auth_code' | 'state'> & { verifier?: string },
) => gateway.call(logins.operations.finish, { body });

/** Logs in like a browser; returns the session JWT. */
export async function logIn(gateway: Bus, person: string): Promise<string> {
  const attempt = await startLogin(gateway);
  const returned = await atTheProvider(attempt, person);
  return (await finishLogin(gateway, { ...returned, verifier: attempt.verifier })).access_token;
}
