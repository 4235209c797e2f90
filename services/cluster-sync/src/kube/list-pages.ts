import type { KubeApi } from '@berth/kube/kube-api';
import { type AnswerKind, answerLimits } from '@berth/kube/answer-limits';
import { AnswerTooLarge } from '@berth/kube/kube-error';
import type { Slot } from '@berth/service/waiting/at-most';
import { z } from 'zod';
import { type CpuShare, cpuShare } from './cpu-share.ts';
import { ListTooLarge } from './list-too-large.ts';
import { splitList } from './split-list.ts';
import { withQuery } from './with-query.ts';

const Page = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});

export interface ListedPage {
  /** The objects, each parsed when it is reached. Read them before the next page. */
  readonly items: AsyncIterable<unknown>;
  /** How many objects of the page were too large and are left out. */
  readonly left: number;
  /** The version of the whole list: all its pages show the state at this version. */
  readonly resourceVersion: string;
}

type PageKind = Extract<AnswerKind, 'page' | 'live_page'>;

export interface ListOptions {
  readonly signal: AbortSignal;
  /** Limit of pages, since an endless list would block the other lists of the cluster. */
  readonly maxPages?: number;
  /** The slot of this list among those read at once; it may lose the slot while the server hangs. */
  readonly slot?: Slot;
  /** How large a page may be. */
  readonly answer?: PageKind;
  /** The share of the cluster in the event loop. */
  readonly cpu?: CpuShare;
}

const pageSize = 200;
const pageDeadlineMs = 30_000;
// 300,000 objects, twice the number of pods that Kubernetes supports, even if they are so large that 25 fill a page.
const defaultMaxPages = 12_000;

/** An endless list must not keep its slot. */
const pagesPerTurn = 25;

const alone: Slot = { away: (part) => part(), pass: async () => undefined };

/** Lists in pages, so that neither side holds the whole list. Throws an expired `KubeError` if reading it takes too long. */
export async function* listPages(
  api: Pick<KubeApi, 'getBytes'>,
  path: string,
  { signal, maxPages = defaultMaxPages, slot = alone, cpu = cpuShare(), answer = 'page' }: ListOptions,
): AsyncGenerator<ListedPage> {
  let limit = pageSize;
  let mostBytes: number = answerLimits[answer].bytes;
  let from: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage(api, path, { limit, mostBytes, from, signal, slot, answer });
    const { bytes, metadata, items, left, used } = page;
    ({ mostBytes } = page);
    const isFull = 3 * bytes.length > mostBytes;
    yield { items: inTurns(items, { cpu, slot, signal }), left, resourceVersion: metadata.resourceVersion };
    // Frees the memory now; otherwise dozens of pages would wait for a major garbage collection.
    bytes.buffer.transfer(0);

    from = metadata.continue;
    if (!from) return;
    if (pages % pagesPerTurn === pagesPerTurn - 1) await slot.pass();
    // Large objects are usually followed by more, but a few of them must not shrink all further pages.
    limit = isFull ? used : Math.min(pageSize, 2 * used);
  }
  throw new ListTooLarge(maxPages, `the list of ${path} has more than ${maxPages} pages`);
}

/** Yields the items and, between them, to other clusters and requests. */
async function* inTurns(
  items: Iterable<unknown>,
  { cpu, slot, signal }: Required<Pick<ListOptions, 'cpu' | 'slot' | 'signal'>>,
): AsyncGenerator {
  const iterator = items[Symbol.iterator]();
  for (;;) {
    const { done, value } = cpu.run(() => iterator.next());
    if (done) return;
    yield value;
    if (cpu.isTired()) await slot.away(() => cpu.rest(signal));
  }
}

interface PageRequest {
  readonly limit: number;
  /** The page size that has been accepted so far. */
  readonly mostBytes: number;
  readonly from: string | undefined;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly answer: PageKind;
}

/** Reads one page with as many objects as fit into an answer, and returns the limit that fitted. */
async function readPage(api: Pick<KubeApi, 'getBytes'>, path: string, request: PageRequest) {
  const { limit, from, signal, slot, answer } = request;
  let { mostBytes } = request;
  for (let used = limit; ; used = Math.floor(used / 2)) {
    const query = new URLSearchParams({ limit: String(used), ...(from !== undefined && { continue: from }) });
    try {
      const call = { signal, deadlineMs: pageDeadlineMs, answer };
      const bytes = await slot.away(() => api.getBytes(withQuery(path, query), call));
      const { head, items, left } = await splitList(bytes, answer);
      return { bytes, metadata: Page.parse(head).metadata, items, left, used, mostBytes };
    } catch (error) {
      if (!(error instanceof AnswerTooLarge) || error instanceof ListTooLarge) throw error;
      mostBytes = Math.min(mostBytes, error.most);
      if (used === 1)
        throw new ListTooLarge(mostBytes, `the list of ${path} is too large even one object at a time`, {
          cause: error,
        });
    }
  }
}
