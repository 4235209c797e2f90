import { configReferences } from '@berth/chart-extensions/config/config-references';
import type { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import type { JsonObject } from '@berth/contracts/fields/json';
import type { Reference } from '../records/reference.ts';
import { collectionKey } from './collection-key.ts';

/** The items that a config points to and whose changes reinstall the deployment. */
export const referencesIn = (form: ValuesUi, config: JsonObject): Reference[] =>
  configReferences(form, config).flatMap(({ input, collection, id }) => {
    const key = collectionKey(collection);
    return key === null ? [] : [{ input, collection: key, item_id: id }];
  });
