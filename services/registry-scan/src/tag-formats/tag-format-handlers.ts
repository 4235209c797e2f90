import { implement } from '@berth/shared/bus/rpc/implement';
import { helmTagFormats } from '@berth/shared/contracts/resources/helm-tag-formats';
import type { Database } from '@berth/shared/db/database';
import { once } from '@berth/shared/db/idempotency/once';
import { recordChange } from '@berth/shared/db/changes/record-change';
import { AppError, found } from '@berth/shared/errors';
import { tagFormat, UnusablePattern } from './tag-format.ts';
import { createTagFormatRepository } from './tag-format-repository.ts';

export interface TagFormatHandlersDeps {
  db: Database;
  /** Called after a change, so that tags are parsed again at once. */
  onChanged: () => void;
}

const { singular } = helmTagFormats;
const maxFormats = 100;

export const tagFormatHandlers = ({ db, onChanged }: TagFormatHandlersDeps) => {
  const tagFormatRepository = createTagFormatRepository(db);

  return implement(helmTagFormats, {
    list: ({ query }) => tagFormatRepository.list(query),

    get: async ({ id }) => found(await tagFormatRepository.find(id), singular),

    create: async ({ body: { pattern } }, context) => {
      refuseUnusable(pattern);
      const created = await db.transaction((tx) =>
        once(tx, context, async () => {
          const tagFormatRepository = createTagFormatRepository(tx);
          // Its row lock serialises changes of the formats.
          await tagFormatRepository.raiseRevision();
          const formats = await tagFormatRepository.newestFirst();
          if (formats.length >= maxFormats) {
            throw new AppError('conflict', `There are already ${maxFormats} tag formats, the most allowed`);
          }
          const after = await tagFormatRepository.insert(pattern);
          await recordChange(tx, context, helmTagFormats, { after });
          return after;
        }),
      );
      onChanged();
      return created;
    },

    delete: async ({ id }, context) => {
      await db.transaction(async (tx) => {
        const tagFormatRepository = createTagFormatRepository(tx);
        await tagFormatRepository.raiseRevision();
        const before = found(await tagFormatRepository.remove(id), singular);
        context.checkIfMatch(before);
        await recordChange(tx, context, helmTagFormats, { before });
      });
      onChanged();
      return null;
    },
  });
};

function refuseUnusable(pattern: string): void {
  try {
    tagFormat(pattern);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const path = 'body.pattern';
    throw new AppError('invalid', `${path}: ${error.message}`, { errors: [{ path, message: error.message }] });
  }
}
