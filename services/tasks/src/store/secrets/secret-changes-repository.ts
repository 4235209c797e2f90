import { type NewSecret, Secret, secrets } from '@berth/contracts/resources/deployments/secrets';
import type { Transaction } from '@berth/db/database';
import { publishing } from '@berth/db/outbox/publishing';
import { conflictOn } from '@berth/db/postgres/errors/conflict-on';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { publicSecret, type SealedContents, SecretRecord, type WrappedKey } from '../../records/secret-record.ts';
import { publicColumns, recordColumns } from './secret-repository.ts';

const secret = sql.type(Secret);
const record = sql.type(SecretRecord);

/** Every change of a secret. Visible changes are published in their transaction. */
export const createSecretChanges = (tx: Transaction) => {
  const published = publishing(tx, secrets);
  const saved = publishing(tx, secrets, publicSecret);
  const taken = ({ collection, name }: Pick<Secret, 'collection' | 'name'>) =>
    conflictOn('secrets_name_key', `The env has a secret ${name} in ${collection} already`);

  return {
    insert: (row: Omit<NewSecret, 'contents'> & { id: string } & SealedContents) =>
      tx
        .one(secret`
          insert into secrets (id, env_id, collection, name, key_id, wrapped_key, sealed_contents)
          values (
            ${row.id}, ${row.env_id}, ${row.collection}, ${row.name}, ${row.key_id}, ${sql.binary(row.wrapped_key)},
            ${sql.binary(row.sealed_contents)}
          )
          returning ${publicColumns}
        `)
        .catch(taken(row))
        .then(published.inserted),

    /** `updated_at` represents the contents in the ETag, so two changes never have the same time. */
    update: (row: SecretRecord) =>
      tx
        .one(record`
          update secrets set
            name = ${row.name}, key_id = ${row.key_id}, wrapped_key = ${sql.binary(row.wrapped_key)},
            sealed_contents = ${sql.binary(row.sealed_contents)},
            updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
          where id = ${row.id}
          returning ${recordColumns}
        `)
        .catch(taken(row))
        .then(saved.updated),

    remove: (id: string) =>
      tx.one(secret`delete from secrets where id = ${id} returning ${publicColumns}`).then(published.deleted),

    removeOfEnv: (env_id: string): Promise<readonly Secret[]> =>
      tx.any(secret`delete from secrets where env_id = ${env_id} returning ${publicColumns}`).then(published.deleted),

    /** The same contents under another key: nothing visible changes. */
    saveWrapped: async ({ id, key_id, wrapped_key }: { id: string } & WrappedKey): Promise<void> => {
      await tx.query(statement`
        update secrets set key_id = ${key_id}, wrapped_key = ${sql.binary(wrapped_key)} where id = ${id}
      `);
    },
  };
};
