import type { KubeApi } from '@berth/kube/kube-api';
import { AnswerTooLarge } from '@berth/kube/kube-error';
import type { Slot } from '@berth/service/waiting/at-most';
import { z } from 'zod';
import { ListTooLarge } from './list-too-large.ts';
import { splitList } from './split-list.ts';
import { withQuery } from './with-query.ts';

const Page = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});

export interface ListedPage {
  /** Read them before the next page; each is parsed when it is reached. */
  readonly items: Iterable<unknown>;
  /** The version of the whole list: all its pages show the state at this version. */
  readonly resourceVersion: string;
}

export interface ListOptions {
  readonly signal: AbortSignal;
  /** A longer list is an error, since an endless one would block the other lists of the cluster. */
  readonly maxPages?: number;
  /** The slot of this list among those read at once; it may lose the slot while the server hangs. */
  readonly slot?: Slot;
}

const pageSize = 200;
const pageDeadlineMs = 30_000;
// 300,000 objects, twice the number of pods that Kubernetes supports, even if the largest objects that etcd accepts
// (1.5 MiB) shrink the pages to 25.
const defaultMaxPages = 12_000;

const alone: Slot = { away: (part) => part() };

/** Lists in pages, so that neither side holds the whole list. Throws an expired `KubeError` if reading it takes too long. */
export async function* listPages(
  api: Pick<KubeApi, 'getBytes'>,
  path: string,
  { signal, maxPages = defaultMaxPages, slot = alone }: ListOptions,
): AsyncGenerator<ListedPage> {
  let limit = pageSize;
  let from: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { bytes, metadata, items, used } = await readPage(api, path, { limit, from, signal, slot });
    yield { items, resourceVersion: metadata.resourceVersion };
    // Frees the memory now; otherwise dozens of pages would wait for a major garbage collection.
    bytes.buffer.transfer(0);

    from = metadata.continue;
    if (!from) return;
    // Large objects are usually followed by more, so the page size does not grow back.
    limit = used;
  }
  throw new ListTooLarge(`the list of ${path} has more than ${maxPages} pages`);
}

interface PageRequest {
  readonly limit: number;
  readonly from: string | undefined;
  readonly signal: AbortSignal;
  readonly slot: Slot;
}

/** Reads one page with as many objects as fit into an answer, and returns the limit that fitted. */
async function readPage(api: Pick<KubeApi, 'getBytes'>, path: string, request: PageRequest) {
  const { limit, from, signal, slot } = request;
  for (let used = limit; ; used = Math.floor(used / 2)) {
    const query = new URLSearchParams({ limit: String(used), ...(from !== undefined && { continue: from }) });
    try {
      const call = { signal, deadlineMs: pageDeadlineMs };
      const bytes = await slot.away(() => api.getBytes(withQuery(path, query), call));
      const { head, items } = splitList(bytes);
      return { bytes, metadata: Page.parse(head).metadata, items, used };
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
      if (used === 1)
        throw new ListTooLarge(`the list of ${path} is too large even one object at a time`, { cause: error });
    }
  }
}
