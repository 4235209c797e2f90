import type { Identity } from '@berth/contracts/access/identity';
import type { ListRequest } from '@berth/contracts/definition/paging';
import { User, users } from '@berth/contracts/resources/accounts/users';
import type { Queries, Transaction } from '@berth/db/database';
import { contains, equals } from '@berth/db/lists/list-filters';
import { listPage } from '@berth/db/lists/list-page';
import { publishing } from '@berth/db/outbox/publishing';
import { statement } from '@berth/db/statement';
import { sql } from 'slonik';
import { StoredUser } from './stored-user.ts';
import { publicUser } from './user-views.ts';

export interface UserFilters extends ListRequest {
  display_name?: string | undefined;
  email?: string | undefined;
  is_active?: boolean | undefined;
}

export interface NewUser {
  issuer: string;
  subject: string;
  email: string;
  display_name: string;
  is_admin: boolean;
  is_active: boolean;
}

const user = sql.type(User);
const storedUser = sql.type(StoredUser);
const storedColumns = sql.fragment`id, created_at, display_name, email, is_admin, is_active, session_epoch`;

/** A user's e-mail is visible to site admins, to the user, and to members of a shared env. */
function seesEmail(viewer: Identity) {
  if (viewer.kind !== 'user') return sql.fragment`false`;
  if (viewer.is_admin) return sql.fragment`true`;
  return sql.fragment`(users.id = ${viewer.id} or exists (
    select from env_user_permissions shared
    where shared.user_id = users.id and shared.env_id = any(${sql.array(Object.keys(viewer.env_roles), 'uuid')})
  ))`;
}

const columnsFor = (viewer: Identity) =>
  sql.fragment`id, created_at, display_name, case when ${seesEmail(viewer)} then email end as email, is_admin, is_active`;

const emailContains = (viewer: Identity, text: string | undefined) =>
  text === undefined ? [] : [contains(sql.fragment`email`, text), seesEmail(viewer)];

export const createUserRepository = (db: Queries) => ({
  list: (request: UserFilters, viewer: Identity) =>
    listPage(db, {
      row: User,
      columns: columnsFor(viewer),
      from: sql.fragment`users`,
      where: [
        contains(sql.fragment`display_name`, request.display_name),
        equals(sql.fragment`is_active`, request.is_active),
        ...emailContains(viewer, request.email),
      ],
      request,
      sortable: {
        created_at: sql.fragment`created_at`,
        display_name: sql.fragment`display_name`,
        is_admin: sql.fragment`is_admin`,
        is_active: sql.fragment`is_active`,
      },
    }),

  find: (id: string, viewer: Identity) => db.maybeOne(user`select ${columnsFor(viewer)} from users where id = ${id}`),

  /** Locks the user, so that no other transaction grants it a role. Returns whether it exists. */
  lockForRoles: (id: string) => db.exists(user`select from users where id = ${id} for no key update`),

  lock: (id: string) => db.maybeOne(storedUser`select ${storedColumns} from users where id = ${id} for update`),

  /** Serialises changes, so that two site admins cannot demote each other. Call it before locking any row. */
  lockSiteAdmins: async () => {
    await db.query(statement`select pg_advisory_xact_lock(hashtextextended('active site admins', 0))`);
  },

  hasActiveSiteAdminBeside: (id: string) =>
    db.exists(user`select from users where is_admin and is_active and id <> ${id}`),

  findBySubject: ({ issuer, subject }: Pick<NewUser, 'issuer' | 'subject'>) =>
    db.maybeOne(storedUser`select ${storedColumns} from users where issuer = ${issuer} and subject = ${subject}`),
});
export type UserRepository = ReturnType<typeof createUserRepository>;

/** Reads and changes in a transaction. Each change is published with it. */
export const createUserChanges = (tx: Transaction) => {
  const published = publishing(tx, users, publicUser);

  return {
    ...createUserRepository(tx),

    /** A deactivation ends the sessions for good: after an activation the user has to sign in again. */
    update: (id: string, { is_admin, is_active }: Pick<StoredUser, 'is_admin' | 'is_active'>) =>
      tx
        .one(storedUser`
          update users set
            is_admin = ${is_admin},
            is_active = ${is_active},
            session_epoch = session_epoch + case when is_active and not ${is_active} then 1 else 0 end
          where id = ${id}
          returning ${storedColumns}
        `)
        .then(published.updated),

    /** Null if the subject or the e-mail is taken; waits for a concurrent first login of the same person. */
    insertUnlessTaken: ({ issuer, subject, email, display_name, is_admin, is_active }: NewUser) =>
      tx
        .maybeOne(storedUser`
          insert into users (issuer, subject, email, display_name, is_admin, is_active)
          values (${issuer}, ${subject}, ${email}, ${display_name}, ${is_admin}, ${is_active})
          on conflict do nothing
          returning ${storedColumns}
        `)
        .then(published.inserted),

    /** The provider's data about a person replaces the stored data. */
    follow: (id: string, { email, display_name }: Pick<NewUser, 'email' | 'display_name'>) =>
      tx
        .one(storedUser`
          update users set email = ${email}, display_name = ${display_name}
          where id = ${id}
          returning ${storedColumns}
        `)
        .then(published.updated),
  };
};
export type UserChanges = ReturnType<typeof createUserChanges>;
