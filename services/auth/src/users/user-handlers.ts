import { implement } from '@berth/bus/rpc/implement';
import { differsFrom } from '@berth/contracts/definition/differs-from';
import { users } from '@berth/contracts/resources/accounts/users';
import { applyGiven } from '@berth/db/changes/apply-given';
import { change } from '@berth/db/changes/change';
import type { Database, Transaction } from '@berth/db/database';
import { AppError, found } from '@berth/contracts/errors';
import type { ChangesRights } from '../identity-leases/changes-rights.ts';
import { createUserRepository, type StoredUser } from './user-repository.ts';
import { fullUser, publicUser } from './user-views.ts';

export interface UserHandlersDeps {
  db: Database;
  changesRights: ChangesRights;
}

export const userHandlers = ({ db, changesRights }: UserHandlersDeps) => {
  const userRepository = createUserRepository(db);

  return implement(users, {
    list: ({ query }, { identity }) => userRepository.list(query, identity),

    get: async ({ id }, { identity }) => found(await userRepository.find(id, identity), 'user'),

    update: changesRights(({ id, body }, context) =>
      change(db, context, users, {
        lock: async (tx) => {
          const userRepository = createUserRepository(tx);
          await userRepository.lockSiteAdmins();
          return userRepository.lock(id);
        },
        refuse: (before) => {
          if (id !== context.identity.id || !differsFrom(before, body, ['is_admin', 'is_active'])) return;
          throw new AppError('forbidden', 'You cannot change your own is_admin or is_active; ask another site admin');
        },
        wanted: (before) => applyGiven(before, body),
        update: async (tx, wanted, before) => {
          await refuseToLoseTheLastSiteAdmin(tx, before, wanted);
          return createUserRepository(tx).update(id, wanted);
        },
        published: publicUser,
        answer: fullUser,
      }),
    ),
  });
};

const isSiteAdmin = ({ is_admin, is_active }: StoredUser): boolean => is_admin && is_active;

/** Two site admins could demote each other at the same time: the second is refused, or no site admin would be left. */
async function refuseToLoseTheLastSiteAdmin(tx: Transaction, before: StoredUser, wanted: StoredUser): Promise<void> {
  if (!isSiteAdmin(before) || isSiteAdmin(wanted)) return;
  if (await createUserRepository(tx).hasActiveSiteAdminBeside(before.id)) return;
  throw new AppError('conflict', 'This is the last active site admin');
}
