import { sql } from 'slonik';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Transaction } from './database.ts';
import { isLockTimeout } from './database-failure.ts';
import { requestHash } from './request-hash.ts';

export interface IdempotentRequest {
  /** The `Idempotency-Key` of the request. */
  key: string;
  /** Who asks: kind and id. */
  identity: { kind: string; id: string };
  /** Such as `envs.create`: the same key for something else is another request. */
  operation: string;
  body: unknown;
  /** A secret of the service, at hand for at least as long as answers are kept. */
  hashKey: string | Uint8Array;
}

const mine = sql.type(z.object({ key: z.string() }));
const earlier = sql.type(
  z.object({ same: z.boolean(), answer: z.record(z.string(), z.unknown()).nullable(), token_id: z.uuid().nullable() }),
);
const nothing = sql.type(z.object({}));

/**
 * Creates, or answers what the same request got before. It belongs into the transaction that creates: what is thrown
 * takes the key back with everything else, so only successes are remembered, and a second request that comes meanwhile
 * waits for the first, or gets `conflict` when that takes too long.
 */
export async function answerOnce<Answer extends object>(
  tx: Transaction,
  request: IdempotentRequest,
  { answer: schema, create }: { answer: z.ZodType<Answer>; create: () => Promise<Answer> },
): Promise<Answer> {
  const { key, operation, body, hashKey } = request;
  const identity = `${request.identity.kind} ${request.identity.id}`;
  const hash = requestHash(hashKey, { operation, body });

  const isFirst = await claim(tx, identity, key, hash);
  if (!isFirst) return schema.parse(await answerBefore(tx, identity, key, hash));

  const answer = await create();
  const tokenId = tokenIdIn(answer);
  await tx.query(nothing`
    update idempotency_keys
    set answer = ${tokenId === null ? sql.jsonb(answer) : null}, token_id = ${tokenId}
    where identity = ${identity} and key = ${key}
  `);
  return answer;
}

/** False when it was answered before. Old ones go along the way, so that there is an end to them. */
async function claim(tx: Transaction, identity: string, key: string, hash: Buffer): Promise<boolean> {
  await tx.query(nothing`
    delete from idempotency_keys where (identity, key) in (
      select identity, key from idempotency_keys
      where created_at < now() - interval '24 hours'
      order by created_at
      limit 100
      for update skip locked
    )
  `);
  const row = await tx
    .maybeOne(mine`
      insert into idempotency_keys as kept (identity, key, request_hash)
      values (${identity}, ${key}, ${sql.binary(hash)})
      on conflict (identity, key) do update
        set request_hash = excluded.request_hash, answer = null, token_id = null, created_at = now()
        where kept.created_at < now() - interval '24 hours'
      returning key
    `)
    .catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      throw new AppError('conflict', 'A request with this Idempotency-Key is still being answered', { cause: error });
    });
  return row !== null;
}

async function answerBefore(tx: Transaction, identity: string, key: string, hash: Buffer): Promise<unknown> {
  const { same, answer, token_id } = await tx.one(earlier`
    select request_hash = ${sql.binary(hash)} as same, answer, token_id
    from idempotency_keys where identity = ${identity} and key = ${key}
  `);
  if (!same) {
    throw new AppError('unprocessable', 'This Idempotency-Key was used with another request', {
      errors: [{ path: 'header.idempotency-key', message: 'was used with another request' }],
    });
  }
  if (token_id !== null) {
    throw new AppError(
      'conflict',
      `This request has created token ${token_id}; its secret was shown once and is not kept`,
    );
  }
  return answer;
}

const Token = z.object({ created_token: z.string() });

/** The id in `<base64url of the id's 16 bytes>.<secret>`. */
function tokenIdIn(answer: object): string | null {
  const token = Token.safeParse(answer);
  if (!token.success) return null;
  const [id = ''] = token.data.created_token.split('.');
  const hex = Buffer.from(id, 'base64url').toString('hex');
  return z.uuid().parse(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
}
