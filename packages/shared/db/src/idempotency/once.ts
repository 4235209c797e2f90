import { sql } from 'slonik';
import { z } from 'zod';
import type { Repeatable } from '@berth/bus/rpc/handler';
import { stillAnswering } from '@berth/contracts/definition/idempotency-key';
import { AppError } from '@berth/contracts/errors';
import { tokenIdIn } from '@berth/contracts/resources/accounts/api-token';
import type { Transaction } from '../database.ts';
import { isLockTimeout } from '../postgres/errors/database-failure.ts';
import { jsonOrNull } from '../postgres/json-or-null.ts';
import { statement } from '../statement.ts';
import { requestHash } from './request-hash.ts';

/** The part of a handler's context that `once` needs. */
export interface OnceContext<Answer> {
  repeatable(): Repeatable<Answer> | undefined;
}

const hashKeys = sql.type(z.object({ hash_key: z.instanceof(Buffer) }));
const mine = sql.type(z.object({ key: z.string() }));
const earlier = sql.type(
  z.object({
    same: z.boolean(),
    answer: z.record(z.string(), z.unknown()).nullable(),
    token_id: z.uuid().nullable(),
    queued_tasks: z.strictObject({ ids: z.array(z.uuid()), count: z.number().int() }).nullable(),
  }),
);

/**
 * Creates, or returns the remembered answer of the same request with the same `Idempotency-Key`. It must run in the transaction
 * that creates: an exception also rolls back the key, so only successes are remembered. A repeat waits for a request in flight,
 * or gets `conflict` if that takes too long.
 */
export async function once<Answer extends object>(
  tx: Transaction,
  context: OnceContext<Answer>,
  create: () => Promise<Answer>,
): Promise<Answer> {
  const repeatable = context.repeatable();
  if (!repeatable) return create();

  const { key, operation, request } = repeatable;
  const identity = `${repeatable.identity.kind} ${repeatable.identity.id}`;
  const hash = requestHash(await hashKeyOf(tx), { operation, request });
  const isFirst = await claim(tx, identity, key, hash);
  if (!isFirst) {
    const before = await answerBefore(tx, identity, key, hash);
    return repeatable.answerAgain(before.answer, before.queued_tasks);
  }

  const answer = await create();
  const tokenId = createdTokenId(answer);
  await tx.query(statement`
    update idempotency_keys
    set answer = ${tokenId === null ? sql.jsonb(answer) : null}, token_id = ${tokenId},
      queued_tasks = ${jsonOrNull(repeatable.queued())}::jsonb
    where identity = ${identity} and key = ${key}
  `);
  return answer;
}

/** The secret with which this service hashes requests, from its own schema. */
async function hashKeyOf(tx: Transaction): Promise<Buffer> {
  return (await tx.one(hashKeys`select hash_key from idempotency_hash_key`)).hash_key;
}

/** False for a repeat. */
async function claim(tx: Transaction, identity: string, key: string, hash: Buffer): Promise<boolean> {
  const row = await tx
    .maybeOne(mine`
      insert into idempotency_keys as kept (identity, key, request_hash)
      values (${identity}, ${key}, ${sql.binary(hash)})
      on conflict (identity, key) do update
        set request_hash = excluded.request_hash, answer = null, token_id = null, queued_tasks = null, created_at = now()
        where kept.created_at < now() - interval '24 hours'
      returning key
    `)
    .catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      throw stillAnswering(error);
    });
  return row !== null;
}

async function answerBefore(tx: Transaction, identity: string, key: string, hash: Buffer) {
  const { same, answer, token_id, queued_tasks } = await tx.one(earlier`
    select request_hash = ${sql.binary(hash)} as same, answer, token_id, queued_tasks
    from idempotency_keys where identity = ${identity} and key = ${key}
  `);
  if (!same) {
    throw new AppError('unprocessable', 'This Idempotency-Key was used with another request', {
      errors: [{ path: 'headers.idempotency-key', message: 'was used with another request' }],
    });
  }
  if (token_id !== null) {
    throw new AppError(
      'conflict',
      `This request has created token ${token_id}; its secret was shown once and is not kept`,
    );
  }
  return { answer, queued_tasks };
}

const Token = z.object({ created_token: z.string() });

/** The id of the token that an answer shows; null if it shows none. */
function createdTokenId(answer: object): string | null {
  const token = Token.safeParse(answer);
  return token.success ? z.uuid().parse(tokenIdIn(token.data.created_token)) : null;
}
