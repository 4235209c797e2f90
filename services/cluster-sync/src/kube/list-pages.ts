import type { KubeApi } from '@berth/shared/kube/kube-api';
import { z } from 'zod';

const Page = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  items: z
    .array(z.unknown())
    .nullish()
    .transform((items) => items ?? []),
});

export interface ListedPage {
  readonly items: unknown[];
  /** Of the whole list: all its pages show the state at this version. */
  readonly resourceVersion: string;
}

const pageSize = 200;
const pageDeadlineMs = 30_000;

/** A list in pages, so that neither side holds all of it. It throws an expired `KubeError` if it takes too long to read. */
export async function* listPages(
  api: Pick<KubeApi, 'getJson'>,
  path: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<ListedPage> {
  const query = new URLSearchParams({ limit: String(pageSize) });
  for (;;) {
    const page = Page.parse(await api.getJson(`${path}?${query.toString()}`, { signal, deadlineMs: pageDeadlineMs }));
    yield { items: page.items, resourceVersion: page.metadata.resourceVersion };

    if (!page.metadata.continue) return;
    query.set('continue', page.metadata.continue);
  }
}
