import { CatalogueRefusal } from '../errors/catalogue-refusal.ts';
import type { Confirm, RequestScope } from './confirm.ts';

/**
 * Does the work. If it is refused for an unknown chart or kind, confirms that row with registry-scan and does the work again: a
 * row that was just created may not have reached our projection.
 */
export async function confirmedCatalogue<T>(
  work: () => Promise<T>,
  confirm: Pick<Confirm, 'catalogue'>,
  scope: RequestScope,
): Promise<T> {
  const confirmed = new Set<string>();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CatalogueRefusal)) throw error;
      const ids = Object.values(error.names).filter((id) => !confirmed.has(id));
      if (ids.length === 0) throw error;
      await confirm.catalogue(error.names, scope);
      for (const id of ids) confirmed.add(id);
    }
  }
}
