import { hintsIn, PushEnvelope } from './push-envelope.ts';
import { hasBearer, type PushFormat } from './push-format.ts';

/** The notifications of the distribution project. */
export const distribution: PushFormat = {
  path: '/events',
  mayBeAuthorized: hasBearer,
  hintsIn: (event) => {
    const { data } = PushEnvelope.safeParse(event);
    return data ? hintsIn(data) : null;
  },
};
