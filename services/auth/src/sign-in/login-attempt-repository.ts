import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

const LoginAttempt = z.strictObject({
  sealed_secrets: z.instanceof(Buffer),
  challenge: z.string().nullable(),
});
const Destination = z.strictObject({ hand_to: z.string().nullable() });
type LoginAttempt = z.infer<typeof LoginAttempt>;

export interface NewLoginAttempt {
  stateHash: Buffer;
  sealedSecrets: Buffer;
  challenge: string | null;
  handTo: string | null;
  lifetimeSeconds: number;
}

const attempt = sql.type(LoginAttempt);

export const createLoginAttemptRepository = (db: Queries) => ({
  insert: async ({ stateHash, sealedSecrets, challenge, handTo, lifetimeSeconds }: NewLoginAttempt): Promise<void> => {
    await db.query(statement`
      insert into login_attempts (state_hash, sealed_secrets, challenge, hand_to, expires_at)
      values (
        ${sql.binary(stateHash)}, ${sql.binary(sealedSecrets)}, ${challenge}, ${handTo},
        now() + make_interval(secs => ${lifetimeSeconds})
      )
    `);
  },

  findDestination: (stateHash: Buffer) =>
    db.maybeOne(sql.type(Destination)`
      select hand_to from login_attempts
      where state_hash = ${sql.binary(stateHash)} and used_at is null and expires_at > now()
    `),

  /** A single statement, so that only one of two callbacks with the same state gets the attempt. */
  useUp: (stateHash: Buffer) =>
    db.maybeOne(attempt`
      update login_attempts set used_at = now()
      where state_hash = ${sql.binary(stateHash)} and used_at is null and expires_at > now()
      returning sealed_secrets, challenge
    `),

  /** Deletes at most `most` attempts and returns how many. */
  removeExpired: async (most: number): Promise<number> => {
    const { rowCount } = await db.query(statement`
      delete from login_attempts where state_hash in (
        select state_hash from login_attempts where expires_at < now()
        order by expires_at limit ${most} for update skip locked
      )
    `);
    return rowCount;
  },
});
