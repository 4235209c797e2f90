// Each function takes the browser's window, so that tests can pass their own.
const api = '/api/v2';
const tokenKey = 'access_token';
const attemptKey = 'berth_sign_in';

/** Starts a login that only this tab can finish; resolves to the address of the identity provider. */
export async function startSignIn({ crypto, fetch, sessionStorage }) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  // Browsers provide hashes only over HTTPS and on localhost; elsewhere only the state binds the login to this tab.
  const hash = await crypto.subtle?.digest('SHA-256', new TextEncoder().encode(verifier));
  const query = hash ? `?challenge=${base64url(new Uint8Array(hash))}` : '';
  const { redirect_url, state } = await answerOf(await fetch(`${api}/auth/idp${query}`));
  sessionStorage.setItem(attemptKey, JSON.stringify({ state, verifier }));
  return redirect_url;
}

/** Whether this tab started the sign-in in its address. */
export function isOfThisTab({ location, sessionStorage }) {
  const attempt = JSON.parse(sessionStorage.getItem(attemptKey) ?? 'null');
  return attempt !== null && new URLSearchParams(location.search).get('state') === attempt.state;
}

/** Exchanges the code in the address for a session; first removes the code from the address bar. */
export async function finishSignIn({ fetch, history, localStorage, location, sessionStorage }) {
  const given = new URLSearchParams(location.search);
  history.replaceState(null, '', location.pathname);

  const attempt = JSON.parse(sessionStorage.getItem(attemptKey) ?? 'null');
  if (!attempt || given.get('state') !== attempt.state) {
    throw new Error('This sign-in was not started in this tab. Please start again.');
  }
  sessionStorage.removeItem(attemptKey);
  const refusal = given.get('error_description') ?? given.get('error');
  if (refusal !== null) throw new Error(`The identity provider refused the sign-in: ${refusal.slice(0, 300)}`);

  const iss = given.get('iss');
  const response = await fetch(`${api}/auth/idp/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth_code: given.get('code'), ...attempt, ...(iss !== null && { iss }) }),
  });
  const { access_token } = await answerOf(response);
  localStorage.setItem(tokenKey, access_token);
}

/** A text about the user of the stored session. */
export async function whoIsSignedIn({ fetch, localStorage }) {
  const token = localStorage.getItem(tokenKey);
  if (token === null) return { words: 'You are not signed in.', signedIn: false };
  try {
    const me = await answerOf(await fetch(`${api}/auth/me`, { headers: { authorization: `Bearer ${token}` } }));
    const name = me.User?.display_name ?? me.Bot?.display_name ?? me.Deployment?.name;
    return { words: `Signed in as ${name}.`, signedIn: true };
  } catch (error) {
    if (error.code === 'user_inactive') {
      return {
        words: 'Inactive user: your account is not active yet. Ask an administrator to activate it.',
        signedIn: true,
      };
    }
    if (error.status === 401) {
      localStorage.removeItem(tokenKey);
      return { words: 'Your session has ended. Please sign in again.', signedIn: false };
    }
    return { words: error.message, signedIn: true };
  }
}

export function signOut({ localStorage }) {
  localStorage.removeItem(tokenKey);
}

async function answerOf(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const words = answer.detail ?? `The server answered ${response.status}.`;
  throw Object.assign(new Error(words), { status: response.status, code: answer.code });
}

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
