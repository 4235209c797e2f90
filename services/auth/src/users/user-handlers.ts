import { implement } from '@berth/bus/rpc/implement';
import { differsFrom } from '@berth/contracts/definition/differs-from';
import { users } from '@berth/contracts/resources/accounts/users';
import { applyGiven } from '@berth/db/changes/apply-given';
import { updateRow } from '@berth/db/changes/update-row';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { AppError, found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import type { StoredUser } from './stored-user.ts';
import { createUserRepository, type UserChanges } from './user-repository.ts';
import { fullUser, publicUser } from './user-views.ts';

export interface UserHandlersDeps {
  db: Database;
  inTransaction: InTransaction<{ users: UserChanges }>;
  changesRights: ChangesRights;
}

export const userHandlers = ({ db, inTransaction, changesRights }: UserHandlersDeps) => {
  const userRepository = createUserRepository(db);

  return implement(users, {
    list: ({ query }, { identity }) => userRepository.list(query, identity),

    get: async ({ id }, { identity }) => found(await userRepository.find(id, identity), 'user'),

    update: changesRights(({ id, body }, context) =>
      updateRow(inTransaction, context, users, {
        lock: async (store) => {
          await store.users.lockSiteAdmins();
          return store.users.lock(id);
        },
        refuse: (before) => {
          if (id !== context.identity.id || !differsFrom(before, body, ['is_admin', 'is_active'])) return;
          throw new AppError('forbidden', 'You cannot change your own is_admin or is_active; ask another site admin');
        },
        wanted: (before) => applyGiven(before, body),
        update: async (store, wanted, before) => {
          await refuseToLoseTheLastSiteAdmin(store.users, before, wanted);
          return store.users.update(id, wanted);
        },
        publicRow: publicUser,
        answer: fullUser,
      }),
    ),
  });
};

const isSiteAdmin = ({ is_admin, is_active }: StoredUser): boolean => is_admin && is_active;

/** Two site admins could demote each other at the same time: the second is refused, or no site admin would be left. */
async function refuseToLoseTheLastSiteAdmin(
  users: Pick<UserChanges, 'hasActiveSiteAdminBeside'>,
  before: StoredUser,
  wanted: StoredUser,
): Promise<void> {
  if (!isSiteAdmin(before) || isSiteAdmin(wanted)) return;
  if (await users.hasActiveSiteAdminBeside(before.id)) return;
  throw new AppError('conflict', 'This is the last active site admin');
}
