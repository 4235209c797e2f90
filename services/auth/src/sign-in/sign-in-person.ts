import { envUserPermissions } from '@berth/contracts/resources/envs/env-user-permissions';
import { users } from '@berth/contracts/resources/accounts/users';
import { type Doer, recordAudit } from '@berth/db/audit/audit-log';
import type { Database, Transaction } from '@berth/db/database';
import { PostgresError } from '@berth/db/postgres/errors/postgres-error';
import { recordChange, recordChanges } from '@berth/db/changes/record-change';
import { AppError } from '@berth/contracts/errors';
import { createEnvMemberRepository } from '../envs/env-member-repository.ts';
import { createUserRepository, type StoredUser } from '../users/user-repository.ts';
import { publicUser } from '../users/user-views.ts';
import type { Person } from './person.ts';

export interface SignInDeps {
  db: Database;
  /** Lower case. */
  adminEmails: ReadonlySet<string>;
}

/** The user of a person that the provider authenticated; created at the first login. */
export const signInPerson = ({ db, adminEmails }: SignInDeps, person: Person, requestId: string): Promise<StoredUser> =>
  db.transaction(async (tx) => {
    const userRepository = createUserRepository(tx);
    const isAdmin = adminEmails.has(person.email.toLowerCase());
    const user =
      (await userRepository.findBySubject(person)) ??
      (await firstLogin(tx, person, { isAdmin, requestId })) ??
      // A concurrent first login of the same person won.
      (await userRepository.findBySubject(person));
    if (!user) throw emailIsTaken();

    const followed = await followProvider(tx, user, person, requestId);
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
async function firstLogin(tx: Transaction, person: Person, { isAdmin, requestId }: FirstLogin) {
  const { issuer, subject, email, displayName } = person;
  const display_name = displayName ?? 'Unnamed user';
  const flags = { is_admin: isAdmin, is_active: isAdmin };
  const user = await createUserRepository(tx).insertUnlessTaken({ issuer, subject, email, display_name, ...flags });
  if (!user) return null;

  const by = doneBy(user, requestId);
  await recordChange(tx, by, users, { after: publicUser(user) });
  const members = await createEnvMemberRepository(tx).addToAutomaticEnvs(user.id);
  const additions = members.map((member) => ({ after: member }));
  await recordChanges(tx, by, envUserPermissions, additions);
  return user;
}

/** The provider decides name and e-mail; Berth decides roles and activation. */
async function followProvider(tx: Transaction, user: StoredUser, person: Person, requestId: string) {
  const { email, displayName } = person;
  const display_name = displayName ?? user.display_name;
  if (email === user.email && display_name === user.display_name) return user;

  const after = await createUserRepository(tx).follow(user.id, { email, display_name }).catch(refuseTakenEmail);
  const change = { before: publicUser(user), after: publicUser(after) };
  await recordChange(tx, doneBy(user, requestId), users, change);
  return after;
}

function refuseTakenEmail(error: unknown): never {
  throw error instanceof PostgresError && error.constraint === 'users_email_key' ? emailIsTaken() : error;
}
