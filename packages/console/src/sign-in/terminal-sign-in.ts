import type { Client } from '@berth/client';

/** What a terminal that started a sign-in gets, once the user has confirmed it. */
export interface TerminalSignIn {
  /** The text that the terminal shows as well. */
  confirmation: string;
  /** Where the code goes: to a port of this computer, or to the person who copies it. */
  to: { address: string } | { code: string };
}

/**
 * Describes a sign-in that a terminal started; null for any other. A foreign page can also start a sign-in whose code goes to a port,
 * so nothing is handed over before the user has compared the text.
 */
export async function readTerminalSignIn(
  { logins }: Pick<Client, 'logins'>,
  given: URLSearchParams,
): Promise<TerminalSignIn | null> {
  const state = given.get('state');
  if (state === null || !given.has('code')) return null;
  const attempt = await logins.describe({ query: { state } });
  if (!attempt.ok || attempt.value.hand_to === null) return null;
  const { confirmation, hand_to: handTo } = attempt.value;
  const code = new URLSearchParams();
  for (const name of ['code', 'state', 'iss']) {
    const value = given.get(name);
    if (value !== null) code.set(name, value);
  }
  return { confirmation, to: handTo === 'screen' ? { code: `${code}` } : { address: `http://${handTo}/?${code}` } };
}
