import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { membersOfEnv } from '@berth/contracts/access/readers';
import { envAdmin, siteAdmin } from '@berth/contracts/access/rules';
import type { Bus } from '@berth/bus/bus';
import { etagOf } from '@berth/bus/rpc/etag';
import { implement } from '@berth/bus/rpc/implement';
import { operation, resource, stricter } from '@berth/contracts/definition/contract';
import { type OpenTestDatabase, openTestDatabase } from '@berth/testing/open-test-database';
import { connectTestBus } from '@berth/testing/test-bus';
import { identityToken, sampleIdentities, samplePlaces } from '@berth/testing/test-identities';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import type { Transaction } from '../database.ts';
import { audited } from '@berth/testing/db/audited';
import { applyGiven } from './apply-given.ts';
import { inTransactionOf } from '../in-transaction.ts';
import { recordState } from '../outbox/outbox.ts';
import { publishing } from '../outbox/publishing.ts';
import type { AuditAlso } from './change-of.ts';
import { createRow } from './create-row.ts';
import { removeRow } from './remove-row.ts';
import { runAction } from './run-action.ts';
import { updateRow } from './update-row.ts';

const Skiff = z.strictObject({ id: z.uuid(), env_id: z.uuid(), name: z.string() });
type Skiff = z.infer<typeof Skiff>;
const names = z.strictObject({ name: z.string().optional() });

const state = { row: Skiff, readers: membersOfEnv, consumers: ['tasks'] } as const;
const oars = resource('oars', { owner: 'auth', singular: 'oar', state, operations: {} });
const skiffs = resource('skiffs', {
  owner: 'auth',
  singular: 'skiff',
  etag: ['name'],
  state,
  operations: {
    create: operation({
      http: 'POST /skiffs',
      summary: 'Builds one',
      allow: envAdmin,
      body: z.strictObject({ name: z.string() }),
      response: Skiff,
    }),
    update: operation({
      http: 'PUT /skiffs/:id',
      summary: 'Renames one',
      allow: envAdmin,
      stricter: [
        stricter({
          rule: siteAdmin,
          for: 'the name of a royal skiff',
          when: (skiff: Skiff, { body }: { body: z.infer<typeof names> }) =>
            body.name?.startsWith('HMS') === true ? skiff : null,
        }),
      ],
      body: names,
      response: Skiff,
    }),
    delete: operation({
      http: 'DELETE /skiffs/:id',
      summary: 'Scraps one with its oars',
      allow: envAdmin,
      changesAlso: ['oars'],
      response: z.null(),
    }),
    copy: operation({
      http: 'POST /skiffs/:id/copy',
      summary: 'Builds another like it',
      allow: envAdmin,
      ifMatch: { etag: ['name'] },
      response: Skiff,
    }),
  },
});

const skiff = sql.type(Skiff);
const { envId: env_id } = samplePlaces;
const { envAdmin: ada, outsider } = sampleIdentities;

/** Faults that a test puts into the handlers. */
interface Behaviour {
  insert?: (tx: Transaction) => Promise<void>;
  update?: (tx: Transaction, also: AuditAlso) => Promise<void>;
  remove?: (tx: Transaction, also: AuditAlso) => Promise<void>;
  forgetPermit?: true;
}

const storeOf = (tx: Transaction) => {
  const published = publishing(tx, skiffs);
  return {
    tx,
    lock: (id: string) => tx.maybeOne(skiff`select id, env_id, name from boats where id = ${id} for update`),
    insert: (name: string) =>
      tx
        .one(skiff`insert into boats (name, env_id) values (${name}, ${env_id}) returning id, env_id, name`)
        .then(published.inserted),
    rename: ({ id, name }: Skiff) =>
      tx
        .one(skiff`update boats set name = ${name} where id = ${id} returning id, env_id, name`)
        .then(published.updated),
    remove: (id: string) =>
      tx.one(skiff`delete from boats where id = ${id} returning id, env_id, name`).then(published.deleted),
  };
};

const loses = (tx: Transaction, also: AuditAlso, lost: readonly Skiff[]) => {
  publishing(tx, oars).deleted(lost);
  also.removed(oars, lost, 'lose');
};

let nats: TestNats;
let database: OpenTestDatabase;
let gateway: Bus;
let auth: Bus;
let behaviour: Behaviour;

beforeAll(async () => {
  database = await openTestDatabase({ service: 'auth', migrations: new URL('../test-migrations/', import.meta.url) });
  const { db } = database;
  nats = await startTestNats({ resources: [skiffs] });
  auth = await connectTestBus(nats, 'auth');
  gateway = await connectTestBus(nats, 'api-gateway');
  const inTransaction = inTransactionOf(db, storeOf);

  auth.serve(
    implement(skiffs, {
      create: ({ body }, context) =>
        createRow(inTransaction, context, skiffs, {
          insert: async (store) => {
            if (!behaviour.forgetPermit) context.permit({ env_id });
            await behaviour.insert?.(store.tx);
            return store.insert(body.name);
          },
        }),
      update: ({ id, body }, context) =>
        updateRow(inTransaction, context, skiffs, {
          lock: (store) => store.lock(id),
          wanted: (before) => applyGiven(before, body),
          update: async (store, wanted, _before, also) => {
            await behaviour.update?.(store.tx, also);
            return store.rename(wanted);
          },
        }),
      delete: ({ id }, context) =>
        removeRow(inTransaction, context, skiffs, {
          lock: (store) => store.lock(id),
          remove: async (store, _before, also) => {
            await behaviour.remove?.(store.tx, also);
            await store.remove(id);
          },
        }),
      copy: ({ id }, context) =>
        runAction(inTransaction, context, skiffs, {
          lock: (store) => store.lock(id),
          scope: (original) => original,
          matched: (original) => original,
          run: async (store, { name }) => store.insert(`${name} II`),
          audited: (copied, original) => ({
            action: 'copy',
            objectId: original.id,
            envId: original.env_id,
            details: { copy_id: copied.id },
          }),
          answer: (copied) => copied,
        }),
    }),
  );
  await auth.listening();
});
beforeEach(() => {
  behaviour = {};
});
afterAll(async () => {
  await Promise.all([auth, gateway].map((bus) => bus?.[Symbol.asyncDispose]()));
  await nats?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const as = async (identity: typeof ada) => ({ identityToken: await identityToken(identity, 'auth') });
const { create, update, delete: scrap, copy } = skiffs.operations;
const build = async (name = randomUUID()) => gateway.call(create, { body: { name } }, await as(ada));
const rename = async (id: string, name: string) => gateway.call(update, { id, body: { name } }, await as(ada));

const nameOf = async (id: string) =>
  (await database.db.maybeOne(skiff`select id, env_id, name from boats where id = ${id}`))?.name;
const built = (name: string) => database.db.any(skiff`select id, env_id, name from boats where name = ${name}`);
const published = (id: string) =>
  database.db.any(
    sql.type(z.object({ operation: z.string(), row: z.unknown(), env_id: z.uuid() }))`
      select operation, row, env_id from outbox where id = ${id}
    `,
  );

describe('a change', () => {
  test('is published and audited with its row', async () => {
    const { id, name } = await build();
    await rename(id, 'Bea');

    expect(await published(id)).toEqual([{ operation: 'INSERT', env_id, row: { id, env_id, name: 'Bea' } }]);
    expect(await audited(database.db, id)).toMatchObject([
      { actor_id: ada.id, action: 'create', resource: 'skiffs', env_id, details: { name: [null, name] } },
      { actor_id: ada.id, action: 'update', details: { name: [name, 'Bea'] } },
    ]);
  });

  test('writes and records nothing if the row already has these values', async () => {
    const { id, name } = await build();
    behaviour.update = () => Promise.reject(new Error('was to write nothing'));

    expect(await rename(id, name)).toEqual({ id, env_id, name });
    expect(await gateway.call(update, { id, body: {} }, await as(ada))).toEqual({ id, env_id, name });
    expect(await audited(database.db, id)).toHaveLength(1);
  });

  test('is refused in the order 404, 403, 412', async () => {
    const { id } = await build();
    const stale = { ifMatch: '"stale"' };
    const call = async (which: string, name: string, by: typeof ada) =>
      gateway.call(update, { id: which, body: { name } }, { ...(await as(by)), ...stale });

    await expect(call(randomUUID(), 'x', outsider)).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(id, 'x', outsider)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call(id, 'HMS x', ada)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call(id, 'x', ada)).rejects.toMatchObject({ code: 'stale' });
    const ifMatch = etagOf(skiffs, { name: await nameOf(id) }) ?? '';
    await gateway.call(update, { id, body: { name: `${id} x` } }, { ...(await as(ada)), ifMatch });
  });

  test("is refused by the contract alone if a part of it needs more than the operation's rule", async () => {
    const { id, name } = await build();

    await expect(rename(id, 'HMS Ada')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Only a site admin may do this',
    });

    expect(await nameOf(id)).toBe(name);
    const admin = await as(sampleIdentities.siteAdmin);
    expect(await gateway.call(update, { id, body: { name: `HMS ${id}` } }, admin)).toMatchObject({ name: `HMS ${id}` });
  });

  test('runs again after a deadlock and records what the last run did', async () => {
    const { id } = await build();
    let runs = 0;
    behaviour.update = async (tx) => {
      runs += 1;
      if (runs === 1) await tx.query(sql.unsafe`do $$ begin raise exception 'lost' using errcode = '40P01'; end $$`);
    };

    await rename(id, `${id} again`);

    expect(runs).toBe(2);
    expect(await audited(database.db, id)).toHaveLength(2);
  });

  test('publishes and audits other rows that it changes', async () => {
    const { id } = await build();
    const oar = { id: randomUUID(), env_id, name: 'left' };
    behaviour.remove = async (tx, also) => loses(tx, also, [oar]);

    await gateway.call(scrap, { id }, await as(ada));

    expect(await published(oar.id)).toMatchObject([{ operation: 'DELETE' }]);
    expect(await audited(database.db, oar.id)).toMatchObject([{ action: 'lose', resource: 'oars' }]);
  });
});

describe('an action', () => {
  test('is audited under its own verb and publishes the rows that it made', async () => {
    const { id, name } = await build();

    const copied = await gateway.call(copy, { id }, await as(ada));

    expect(copied).toMatchObject({ env_id, name: `${name} II` });
    expect(await published(copied.id)).toMatchObject([{ operation: 'INSERT' }]);
    expect(await audited(database.db, copied.id)).toEqual([]);
    expect(await audited(database.db, id)).toMatchObject([
      { action: 'create' },
      { action: 'copy', actor_id: ada.id, details: { copy_id: copied.id } },
    ]);
  });

  test('is refused in the order 404, 403, 412', async () => {
    const { id } = await build();
    const call = async (which: string, by: typeof ada, ifMatch: string) =>
      gateway.call(copy, { id: which }, { ...(await as(by)), ifMatch });

    await expect(call(randomUUID(), outsider, '"stale"')).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(id, outsider, '"stale"')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call(id, ada, '"stale"')).rejects.toMatchObject({ code: 'stale' });
    await call(id, ada, etagOf(skiffs, { name: await nameOf(id) }) ?? '');
  });

  test('happens once if it is repeated with its Idempotency-Key', async () => {
    const { id } = await build();
    const repeatable = { ...(await as(ada)), idempotencyKey: randomUUID() };

    const first = await gateway.call(copy, { id }, repeatable);

    expect(await gateway.call(copy, { id }, repeatable)).toEqual(first);
    expect(await audited(database.db, id)).toHaveLength(2);
  });
});

describe('a change that differs from its contract is rolled back and not answered:', () => {
  test('it also changes a resource that the contract does not name', async () => {
    const { id, name } = await build();

    await expect(gateway.call(scrap, { id }, await as(ada))).rejects.toMatchObject({ code: 'internal' });

    expect(await nameOf(id)).toBe(name);
    behaviour.remove = async (tx, also) => loses(tx, also, []);
    await gateway.call(scrap, { id }, await as(ada));
    expect(await nameOf(id)).toBeUndefined();
  });

  test('a change of a resource that the contract does not name', async () => {
    const { id, name } = await build();
    behaviour.update = async (tx, also) => loses(tx, also, [{ id: randomUUID(), env_id, name: 'x' }]);

    await expect(rename(id, randomUUID())).rejects.toMatchObject({ code: 'internal' });
    expect(await nameOf(id)).toBe(name);
  });

  test('a creation without permit', async () => {
    behaviour.forgetPermit = true;
    const name = randomUUID();

    await expect(build(name)).rejects.toMatchObject({ code: 'internal' });
    expect(await built(name)).toEqual([]);
  });
});

test('changes recorded in a savepoint count only if it is released', async () => {
  const { id } = await build();
  const oar = { id: randomUUID(), env_id, name: 'left' };
  const lose = async (tx: Transaction) => recordState(tx, oars, { id: oar.id, env_id, operation: 'DELETE', row: oar });
  behaviour.update = async (tx) => {
    await tx
      .transaction(async (inner) => {
        await lose(inner);
        throw new Error('changed its mind');
      })
      .catch(() => undefined);
  };

  expect(await rename(id, `${id} kept`)).toMatchObject({ name: `${id} kept` });
  expect(await published(oar.id)).toEqual([]);

  behaviour.update = (tx) => tx.transaction(lose);
  await expect(rename(id, randomUUID())).rejects.toMatchObject({ code: 'internal' });
});
