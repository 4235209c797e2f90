import { implement } from '@berth/bus/rpc/implement';
import { helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import type { Database } from '@berth/db/database';
import { change } from '@berth/db/changes/change';
import { AppError, found } from '@berth/contracts/errors';
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
      const created = await change(db, context, helmTagFormats, {
        insert: async (tx) => {
          const tagFormatRepository = createTagFormatRepository(tx);
          // The row lock of the revision serialises changes of the formats.
          await tagFormatRepository.raiseRevision();
          const formats = await tagFormatRepository.newestFirst();
          if (formats.length >= maxFormats) throw tooManyFormats();
          return tagFormatRepository.insert(pattern);
        },
      });
      onChanged();
      return created;
    },

    delete: async ({ id }, context) => {
      await change(db, context, helmTagFormats, {
        lock: async (tx) => {
          const tagFormatRepository = createTagFormatRepository(tx);
          await tagFormatRepository.raiseRevision();
          return tagFormatRepository.find(id);
        },
        remove: (tx) => createTagFormatRepository(tx).remove(id),
      });
      onChanged();
      return null;
    },
  });
};

const tooManyFormats = () =>
  new AppError('conflict', `There are already ${maxFormats} tag formats, which is the maximum; delete one first`);

function refuseUnusable(pattern: string): void {
  try {
    tagFormat(pattern);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const path = 'body.pattern';
    throw new AppError('invalid', `${path}: ${error.message}`, { errors: [{ path, message: error.message }] });
  }
}
