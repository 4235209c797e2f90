import { implement } from '@berth/shared/bus/rpc/implement';
import { type UserChanges, users } from '@berth/shared/contracts/resources/users';
import type { Database, Transaction } from '@berth/shared/db/database';
import { recordChange } from '@berth/shared/db/changes/record-change';
import { AppError, found } from '@berth/shared/errors';
import { createUserRepository, type StoredUser } from './user-repository.ts';
import { fullUser, publicUser } from './user-views.ts';

export const userHandlers = ({ db }: { db: Database }) => {
  const userRepository = createUserRepository(db);

  return implement(users, {
    list: ({ query }, { identity }) => userRepository.list(query, identity),

    get: async ({ id }, { identity }) => found(await userRepository.find(id, identity), 'user'),

    update: ({ id, body }, context) =>
      db.transaction(async (tx) => {
        const userRepository = createUserRepository(tx);
        await userRepository.lockSiteAdmins();
        const before = found(await userRepository.lock(id), 'user');
        const wanted = { ...before, ...flagsOf(body) };
        const isChange = wanted.is_admin !== before.is_admin || wanted.is_active !== before.is_active;
        if (isChange && id === context.identity.id) {
          throw new AppError('forbidden', 'Nobody changes their own is_admin or is_active; ask another site admin');
        }
        context.checkIfMatch(before);
        if (!isChange) return fullUser(before);
        await refuseToLoseTheLastSiteAdmin(tx, before, wanted);

        const after = await userRepository.update(id, wanted);
        const change = { before: publicUser(before), after: publicUser(after), envId: null };
        await recordChange(tx, context, users, change);
        return fullUser(after);
      }),
  });
};

const flagsOf = ({ is_admin, is_active }: UserChanges) => ({
  ...(is_admin !== undefined && { is_admin }),
  ...(is_active !== undefined && { is_active }),
});

const isSiteAdmin = ({ is_admin, is_active }: StoredUser): boolean => is_admin && is_active;

/** Two site admins could remove each other at the same time: the second is refused, because no site admin would be left. */
async function refuseToLoseTheLastSiteAdmin(tx: Transaction, before: StoredUser, wanted: StoredUser): Promise<void> {
  if (!isSiteAdmin(before) || isSiteAdmin(wanted)) return;
  if (await createUserRepository(tx).hasActiveSiteAdminBeside(before.id)) return;
  throw new AppError('conflict', 'This is the last active site admin');
}
