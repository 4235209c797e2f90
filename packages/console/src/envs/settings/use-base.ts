import { useState } from 'react';
import type { OfEnv } from '../facts/env-row.ts';

/** What somebody started to change, with its tag, so that changes made meanwhile are not overwritten. */
export function useBase({ env, etag }: OfEnv) {
  const [base, setBase] = useState<OfEnv>({ env, etag });
  return {
    env: base.env,
    ifMatch: base.etag === null ? {} : { ifMatch: base.etag },
    /** Somebody else has changed the env. */
    isOld: base.etag !== etag,
    take: () => setBase({ env, etag }),
    set: setBase,
  };
}
