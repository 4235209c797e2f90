import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { users } from '@berth/contracts/resources/accounts/users';
import { type Doer, recordAudit, recordAudits } from '@berth/db/audit/audit-log';
import { auditRow } from '@berth/db/changes/audit-row';
import type { Transaction } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { PostgresError } from '@berth/db/postgres/errors/postgres-error';
import { AppError } from '@berth/contracts/errors';
import { asciiLowerCase } from '@berth/contracts/fields/ascii-case';
import type { EnvMemberChanges } from '../envs/env-member-repository.ts';
import type { StoredUser } from '../users/stored-user.ts';
import type { UserChanges } from '../users/user-repository.ts';
import { publicUser } from '../users/user-views.ts';
import type { Person } from './person.ts';

interface Store {
  users: UserChanges;
  envMembers: EnvMemberChanges;
}

export interface SignInDeps {
  inTransaction: InTransaction<Store>;
  /** Only ASCII letters, in lower case. */
  adminEmails: ReadonlySet<string>;
}

/** The user of a person that the provider authenticated; created at the first login. */
export const signInPerson = (
  { inTransaction, adminEmails }: SignInDeps,
  person: Person,
  requestId: string,
): Promise<StoredUser> =>
  inTransaction(async (store, tx) => {
    const isAdmin = adminEmails.has(asciiLowerCase(person.email));
    const user =
      (await store.users.findBySubject(person)) ??
      (await firstLogin(store, tx, person, { isAdmin, requestId })) ??
      // A concurrent first login of the same person has created the user.
      (await store.users.findBySubject(person));
    if (!user) throw emailIsTaken();

    const followed = await followProvider(store, tx, user, person, requestId);
    await recordAudit(tx, {
      by: doneBy(followed, requestId),
      action: 'log in',
      resource: users.name,
      objectId: followed.id,
      envId: null,
      details: {},
    });
    return followed;
  });

const emailIsTaken = () =>
  new AppError('login_refused', 'Another account of the identity provider already uses your e-mail address here');

const doneBy = ({ id }: { id: string }, requestId: string): Doer => ({ identity: { kind: 'user', id }, requestId });

interface FirstLogin {
  isAdmin: boolean;
  requestId: string;
}

/** Creates the user and its roles in all envs that add new users; null if the subject or the e-mail is taken. */
async function firstLogin(store: Store, tx: Transaction, person: Person, { isAdmin, requestId }: FirstLogin) {
  const { issuer, subject, email, displayName } = person;
  const display_name = displayName ?? 'Unnamed user';
  const flags = { is_admin: isAdmin, is_active: isAdmin };
  const user = await store.users.insertUnlessTaken({ issuer, subject, email, display_name, ...flags });
  if (!user) return null;

  const by = doneBy(user, requestId);
  const members = await store.envMembers.addToAutomaticEnvs(user.id);
  await recordAudits(tx, [
    auditRow(by, users, { after: publicUser(user) }),
    ...members.map((member) => auditRow(by, envUserPermissions, { after: member })),
  ]);
  return user;
}

/** The provider decides name and e-mail; Berth decides roles and activation. */
async function followProvider(store: Store, tx: Transaction, user: StoredUser, person: Person, requestId: string) {
  const { email, displayName } = person;
  const display_name = displayName ?? user.display_name;
  if (email === user.email && display_name === user.display_name) return user;

  const after = await store.users.follow(user.id, { email, display_name }).catch(refuseTakenEmail);
  const change = { before: publicUser(user), after: publicUser(after) };
  await recordAudit(tx, auditRow(doneBy(user, requestId), users, change));
  return after;
}

function refuseTakenEmail(error: unknown): never {
  throw error instanceof PostgresError && error.constraint === 'users_email_key' ? emailIsTaken() : error;
}
