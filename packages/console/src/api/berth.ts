import { createClient } from '@berth/client';
import { sessions } from './session.ts';

/** The API of the platform that serves this page, called as whoever is signed in. */
export const berth = createClient({
  baseUrl: location.origin,
  credential: () => {
    const { token } = sessions.current();
    return token === null ? null : { jwt: token };
  },
});
