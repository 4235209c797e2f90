/**
 * What a terminal that started this sign-in is to get: the text that it shows as well, and the code, which goes to a port of this
 * computer (`address`) or is copied (`code`). Null for a sign-in that no terminal started. Takes the browser's window.
 *
 * A foreign page, too, can start a sign-in whose code goes to a port, so nothing is handed over before the person has confirmed it.
 */
export async function readTerminalSignIn({ fetch, location }) {
  const given = new URLSearchParams(location.search);
  const state = given.get('state');
  if (state === null || !given.has('code')) return null;
  const response = await fetch(`/api/v2/auth/idp/attempt?${new URLSearchParams({ state })}`);
  if (!response.ok) return null;
  const { hand_to, confirmation } = await response.json();
  if (hand_to === null) return null;
  const code = new URLSearchParams(
    ['code', 'state', 'iss'].flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])),
  );
  return { confirmation, ...(hand_to === 'screen' ? { code: `${code}` } : { address: `http://${hand_to}/?${code}` }) };
}
