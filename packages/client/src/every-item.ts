import type { Page } from './api/client.ts';
import { type Answer, unwrap } from './http/answer.ts';

/**
 * Every item of a list in the default order (newest first), page by page. Rows added meanwhile shift nothing. Throws
 * `ProblemError`.
 */
export async function* everyItem<T>(readPage: (after: string) => Promise<Answer<Page<T>>>): AsyncGenerator<T> {
  let after: string | null | undefined = '';
  while (after !== null && after !== undefined) {
    const page: Page<T> = unwrap(await readPage(after));
    yield* page.items;
    after = page.next;
  }
}
