import { Bug } from '@berth/contracts/errors';
import { ServerFailed } from './server-failed.ts';

const MOST_STEPS = 10;
const STEP_MS = 10_000;

/**
 * Signs a person in at the local provider like a browser, and returns the callback URL with `code` and `state`.
 * `authorizationUrl` is the URL to which the client sends its user; its redirect URI is not requested.
 */
export async function signInWithHttp(person: string, authorizationUrl: string): Promise<string> {
  const redirectUri = new URL(authorizationUrl).searchParams.get('redirect_uri');
  if (redirectUri === null) throw new Bug('the authorization URL has no redirect_uri');
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  let form: URLSearchParams | undefined;

  for (let step = 0; step < MOST_STEPS; step++) {
    const response = await visit(url, cookies, form);
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      form = undefined;
      if (url.split('?')[0] === redirectUri.split('?')[0]) return url;
    } else if (response.status === 200 && form === undefined) {
      // The sign-in page.
      form = new URLSearchParams({ person });
    } else {
      throw new ServerFailed(
        `sign-in of ${person} was refused with ${response.status}: ${(await response.text()).slice(0, 500)}`,
      );
    }
  }
  throw new ServerFailed(`sign-in of ${person} did not come back to ${redirectUri} within ${MOST_STEPS} steps`);
}

async function visit(url: string, cookies: Map<string, string>, form: URLSearchParams | undefined): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, {
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
    signal: AbortSignal.timeout(STEP_MS),
    ...(form && { method: 'POST', body: form }),
  });
  for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
  return response;
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const name = pair.slice(0, pair.indexOf('='));
  const value = pair.slice(pair.indexOf('=') + 1);
  if (value === '') cookies.delete(name);
  else cookies.set(name, value);
}
