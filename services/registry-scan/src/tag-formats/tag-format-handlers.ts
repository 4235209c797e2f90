import { implement } from '@berth/bus/rpc/implement';
import { helmTagFormats } from '@berth/contracts/resources/charts/helm-tag-formats';
import type { Database } from '@berth/db/database';
import type { InTransaction } from '@berth/db/in-transaction';
import { createRow } from '@berth/db/changes/create-row';
import { removeRow } from '@berth/db/changes/remove-row';
import { AppError, found } from '@berth/contracts/errors';
import { tagFormat, UnusablePattern } from '@berth/chart-archive/tag-format';
import { createTagFormatRepository, type TagFormatChanges } from './tag-format-repository.ts';

export interface TagFormatHandlersDeps {
  db: Database;
  inTransaction: InTransaction<{ tagFormats: TagFormatChanges }>;
  /** Called after a change, so that tags are parsed again at once. */
  onChanged: () => void;
}

const { singular } = helmTagFormats;
const maxFormats = 100;

export const tagFormatHandlers = ({ db, inTransaction, onChanged }: TagFormatHandlersDeps) => {
  const tagFormatRepository = createTagFormatRepository(db);

  return implement(helmTagFormats, {
    list: ({ query }) => tagFormatRepository.list(query),

    get: async ({ id }) => found(await tagFormatRepository.find(id), singular),

    create: async ({ body: { pattern } }, context) => {
      refuseUnusable(pattern);
      const created = await createRow(inTransaction, context, helmTagFormats, {
        insert: async ({ tagFormats }) => {
          // The row lock of the revision serialises changes of the formats.
          await tagFormats.raiseRevision();
          const formats = await tagFormats.newestFirst();
          if (formats.length >= maxFormats) throw tooManyFormats();
          return tagFormats.insert(pattern);
        },
      });
      onChanged();
      return created;
    },

    delete: async ({ id }, context) => {
      await removeRow(inTransaction, context, helmTagFormats, {
        lock: async ({ tagFormats }) => {
          await tagFormats.raiseRevision();
          return tagFormats.find(id);
        },
        remove: (store) => store.tagFormats.remove(id),
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
