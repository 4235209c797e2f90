import { createClient } from '@berth/client';
import { queries } from './queries.ts';
import { sessions } from './session.ts';

/** The API of the platform that serves this page, called as the signed-in user. */
export const berth = createClient({
  baseUrl: location.origin,
  credential: () => {
    const { token } = sessions.current();
    return token === null ? null : { jwt: token };
  },
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok && init?.method !== 'GET') readAgain(response.url);
    return response;
  },
});

let changedAt = 0;
/** When this page last changed anything, in ms since 1970. */
export const ownChangeAt = (): number => changedAt;

/** Reads again at once what this page has changed. The event that other pages wait for may come later. */
function readAgain(address: string): void {
  changedAt = Date.now();
  const [, path = ''] = /\/api\/v2\/([a-z0-9-]+)/.exec(address) ?? [];
  void queries.invalidateQueries({ queryKey: [path.replaceAll('-', '_')] });
}
