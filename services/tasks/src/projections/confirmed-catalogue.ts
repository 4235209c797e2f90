import { AppError } from '@berth/contracts/errors';
import type { RequestScope, Confirm } from './confirm.ts';

/** The fields that name a chart or a kind. */
const ofCatalogue = /(?:kind_id|helm_chart_id)$/;

/**
 * Does the work; if it is refused because of its chart or kind, confirms both with registry-scan and does it once more: a
 * chart that was found a moment ago may not have reached our projection.
 */
export async function confirmedCatalogue<T>(
  work: () => Promise<T>,
  confirm: Pick<Confirm, 'catalogue'>,
  named: Parameters<Confirm['catalogue']>[0],
  scope: RequestScope,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!restsOnCatalogue(error)) throw error;
  }
  await confirm.catalogue(named, scope);
  return work();
}

const restsOnCatalogue = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === 'unprocessable' &&
  (error.errors ?? []).some(({ path }) => ofCatalogue.test(path));
