import type { KubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge } from '@berth/kube/kube-error';
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

export interface ListOptions {
  readonly signal: AbortSignal;
  /** A longer list is an error: a server whose lists never end must not keep all else from its turn. */
  readonly maxPages?: number;
}

const pageSize = 200;
const pageDeadlineMs = 30_000;
// 300,000 objects, twice the pods that Kubernetes is made for, even where the largest ones that etcd takes (1.5 MiB) have
// shrunk the pages to 25.
const usualMaxPages = 12_000;

/** A list in pages, so that neither side holds all of it. It throws an expired `KubeError` if it takes too long to read. */
export async function* listPages(
  api: Pick<KubeApi, 'getJson'>,
  path: string,
  { signal, maxPages = usualMaxPages }: ListOptions,
): AsyncGenerator<ListedPage> {
  let limit = pageSize;
  let from: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { page, used } = await readPage(api, path, { limit, from, signal });
    yield { items: page.items, resourceVersion: page.metadata.resourceVersion };

    from = page.metadata.continue;
    if (!from) return;
    // Not back to full pages: where objects are this large, more of them mostly follow.
    limit = used;
  }
  throw new Error(`the list of ${path} has more than ${maxPages} pages`);
}

interface PageRequest {
  readonly limit: number;
  readonly from: string | undefined;
  readonly signal: AbortSignal;
}

/** One page, of as many objects as fit into an answer, and the limit that was used in the end. */
async function readPage(api: Pick<KubeApi, 'getJson'>, path: string, { limit, from, signal }: PageRequest) {
  for (let used = limit; ; used = Math.floor(used / 2)) {
    const query = new URLSearchParams({ limit: String(used), ...(from !== undefined && { continue: from }) });
    try {
      const answer = await api.getJson(`${path}?${query.toString()}`, { signal, deadlineMs: pageDeadlineMs });
      return { page: Page.parse(answer), used };
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
      if (used === 1) throw new Error(`the list of ${path} is too large even one object at a time`, { cause: error });
    }
  }
}
