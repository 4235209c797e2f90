import { people } from './people.ts';

/** Contains nothing from the request, so it needs no escaping. */
export const signInPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · local identity provider</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem; color: #1b2733; }
  h1 { font-size: 1.3rem; }
  p { color: #5b6b7a; }
  button { display: block; width: 100%; margin: .6rem 0; padding: .7rem 1rem; text-align: left; font: inherit;
    background: #fff; border: 1px solid #c5d0da; border-radius: .4rem; cursor: pointer; }
  button:hover, button:focus-visible { border-color: #1565c0; }
  small { color: #5b6b7a; }
</style>
<h1>Who are you?</h1>
<p>This is the identity provider of the local stack. Nobody has a password.</p>
<form method="post">
${people
  .map(
    ({ name, displayName, email, note }) =>
      `  <button name="person" value="${name}">${displayName}<br><small>${email} · ${note}</small></button>`,
  )
  .join('\n')}
</form>
</html>
`;

export const expiredPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign-in expired</title>
<p>This sign-in is over, or was started in another browser. Go back and start it again.</p>
</html>
`;
