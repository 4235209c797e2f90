import { type Client, unwrap } from '@berth/client';

const attemptKey = 'berth_sign_in';

/** The parts of a browser's window that a sign-in uses. */
export interface Browser {
  crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array; subtle?: Pick<SubtleCrypto, 'digest'> };
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

interface Attempt {
  state: string;
  verifier: string;
  /** The path to show after the sign-in. */
  from: string;
}

type Logins = Pick<Client, 'logins'>;

/** Starts a login that only this tab can finish; resolves to the address of the identity provider. */
export async function startSignIn({ logins }: Logins, browser: Browser, from: string): Promise<string> {
  const verifier = base64url(browser.crypto.getRandomValues(new Uint8Array(32)));
  // Browsers provide hashes only over HTTPS and on localhost; elsewhere only the state binds the login to this tab.
  const hash = await browser.crypto.subtle?.digest('SHA-256', new TextEncoder().encode(verifier));
  const query = hash ? { challenge: base64url(new Uint8Array(hash)) } : {};
  const { redirect_url, state } = unwrap(await logins.start({ query }));
  const attempt: Attempt = { state, verifier, from };
  browser.sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
  return redirect_url;
}

/** Whether this tab started the sign-in that the provider answers. */
export function isOfThisTab({ sessionStorage }: Browser, given: URLSearchParams): boolean {
  const attempt = keptIn(sessionStorage);
  return attempt !== null && given.get('state') === attempt.state;
}

function keptIn(storage: Browser['sessionStorage']): Attempt | null {
  const kept = storage.getItem(attemptKey);
  return kept === null ? null : JSON.parse(kept);
}

/** Exchanges the code in the provider's answer for a session. The message of an error is for the user. */
export async function finishSignIn(
  { logins }: Logins,
  { sessionStorage }: Browser,
  given: URLSearchParams,
): Promise<{ token: string; from: string }> {
  const attempt = keptIn(sessionStorage);
  if (!attempt || given.get('state') !== attempt.state) {
    throw new Error('This sign-in was not started in this tab. Start again.');
  }
  sessionStorage.removeItem(attemptKey);
  const refusal = given.get('error_description') ?? given.get('error');
  if (refusal !== null) throw new Error(`The identity provider refused the sign-in: ${refusal.slice(0, 300)}`);

  const { from, ...proof } = attempt;
  const iss = given.get('iss');
  const body = { auth_code: given.get('code') ?? '', ...proof, ...(iss !== null && { iss }) };
  const answer = await logins.finish({ body });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return { token: answer.value.access_token, from };
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
