import { PackedUser } from '@berth/contracts/access/packed-identity';
import type { Queries } from '@berth/db/database';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/** A user as every request needs it. Roles are sorted, so that equal sets have equal text. */
const userColumns = {
  is_active: z.boolean(),
  is_admin: z.boolean(),
  env_roles: PackedUser.shape.env_roles,
  deployment_roles: PackedUser.shape.deployment_roles,
};

export const TokenRow = z.strictObject({
  holder: z.enum(['user', 'bot']),
  holder_id: z.string(),
  secret_hash: z.instanceof(Buffer),
  is_revoked: z.boolean(),
  is_expired: z.boolean(),
  /** Null unless it expires soon. */
  expires_in_ms: z.number().nullable(),
  /** True if no use was recorded within the last minute. */
  use_is_due: z.boolean(),
  ...userColumns,
});
export type TokenRow = z.infer<typeof TokenRow>;

export const SessionRow = z.strictObject({ id: z.string(), session_epoch: z.number(), ...userColumns });
export type SessionRow = z.infer<typeof SessionRow>;

const tokenRow = sql.type(TokenRow);
const sessionRow = sql.type(SessionRow);

const tokenColumns = sql.fragment`
  t.secret_hash,
  t.revoked_at is not null as is_revoked,
  coalesce(t.expires_at <= now(), false) as is_expired,
  case when t.expires_at < now() + interval '1 minute' then
    floor(extract(epoch from t.expires_at - now()) * 1000)::float8
  end as expires_in_ms,
  coalesce(t.last_used_at < now() - interval '1 minute', true) as use_is_due
`;

/** Ids as `PackedIdentity` wants them; Postgres breaks base64 into lines. */
const packed = (envId: FragmentSqlToken) =>
  sql.fragment`replace(encode(string_agg(uuid_send(${envId}), '' order by ${envId}), 'base64'), E'\\n', '')`;

/** A site admin may do everything, so roles are not read. PostgreSQL packs them, so that thousands cost this process nothing. */
const rolesOfU = sql.fragment`
  (
    select coalesce(jsonb_object_agg(role, envs), '{}') from (
      select m.role, ${packed(sql.fragment`m.env_id`)} as envs
      from env_user_permissions m where m.user_id = u.id and not u.is_admin
      group by m.role
    ) held
  ) as env_roles,
  (
    select coalesce(jsonb_agg(jsonb_build_array(kind_id, role, envs) order by kind_id, role), '[]') from (
      select p.kind_id, p.role, ${packed(sql.fragment`p.env_id`)} as envs
      from deployment_permissions p where p.user_id = u.id and not u.is_admin
      group by p.kind_id, p.role
    ) held
  ) as deployment_roles
`;

/** Runs on every HTTP request: each of these is one statement that only follows indexes. */
export const createCredentialRepository = (db: Queries) => ({
  findToken: (id: string) =>
    db.maybeOne(tokenRow`
      select 'user' as holder, u.id as holder_id, ${tokenColumns}, u.is_active, u.is_admin, ${rolesOfU}
      from user_tokens t join users u on u.id = t.user_id
      where t.id = ${id}
      union all
      select 'bot', t.bot_id, ${tokenColumns}, coalesce(b.is_active, false), false, '{}'::jsonb, '[]'::jsonb
      from bot_tokens t left join bots b on b.id = t.bot_id
      where t.id = ${id}
    `),

  findUser: (id: string) =>
    db.maybeOne(sessionRow`
      select u.id, u.session_epoch, u.is_active, u.is_admin, ${rolesOfU}
      from users u
      where u.id = ${id}
    `),
});
export type CredentialRepository = ReturnType<typeof createCredentialRepository>;
