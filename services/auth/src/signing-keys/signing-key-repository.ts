import { PublicJwk } from '@berth/contracts/resources/accounts/signing-keys';
import type { Queries } from '@berth/db/database';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { z } from 'zod';

export const StoredKey = z.strictObject({
  kid: z.string(),
  /** By the clock of the database, so that all replicas agree. */
  may_sign: z.boolean(),
  age_seconds: z.number(),
  public_jwk: PublicJwk,
  sealed_private_jwk: z.instanceof(Buffer),
});
export type StoredKey = z.infer<typeof StoredKey>;

export interface NewKeyRow {
  kid: string;
  publicJwk: PublicJwk;
  sealedPrivateJwk: Buffer;
  signsInSeconds: number;
}

const storedKey = sql.type(StoredKey);
const columns = sql.fragment`
  kid, signs_from <= now() as may_sign, extract(epoch from now() - created_at)::float8 as age_seconds, public_jwk, sealed_private_jwk
`;

export const createSigningKeyRepository = (db: Queries) => ({
  /** Newest first. */
  all: () => db.any(storedKey`select ${columns} from signing_keys order by signs_from desc, kid`),

  /** One replica at a time decides that a key is needed. */
  lock: async () => {
    await db.query(statement`select pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
  },

  insert: ({ kid, publicJwk, sealedPrivateJwk, signsInSeconds }: NewKeyRow) =>
    db.one(storedKey`
      insert into signing_keys (kid, signs_from, public_jwk, sealed_private_jwk)
      values (
        ${kid}, now() + make_interval(secs => ${signsInSeconds}), ${sql.jsonb(publicJwk)}, ${sql.binary(sealedPrivateJwk)}
      )
      returning ${columns}
    `),

  replaceSealed: async (kid: string, sealedPrivateJwk: Buffer) => {
    await db.query(statement`
      update signing_keys set sealed_private_jwk = ${sql.binary(sealedPrivateJwk)} where kid = ${kid}
    `);
  },

  /** Keys whose successor has signed for so long that all their signatures have expired. */
  removeSuperseded: (afterSeconds: number) =>
    db.any(storedKey`
      delete from signing_keys old
      where exists (
        select from signing_keys newer
        where newer.signs_from > old.signs_from and newer.signs_from < now() - make_interval(secs => ${afterSeconds})
      )
      returning ${columns}
    `),
});
