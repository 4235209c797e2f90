import { type FragmentSqlToken, sql } from 'slonik';

/**
 * Order-independent hash over (id, version) of rows: the first 8 bytes of each SHA-256, XORed. Owner and follower get the same,
 * whatever version of Postgres they use.
 */
export const stateDigest = (
  id: FragmentSqlToken,
  version: FragmentSqlToken,
  where: FragmentSqlToken = sql.fragment`true`,
): FragmentSqlToken => sql.fragment`
  to_hex(coalesce(bit_xor(
    ('x' || left(encode(sha256(convert_to(${id}::text || ':' || ${version}::text, 'UTF8')), 'hex'), 16))::bit(64)::bigint
  ) filter (where ${where}), 0))
`;
