import type { KubeApi, KubeCall } from '@berth/kube/kube-api';
import { AnswerTooLarge } from '@berth/kube/kube-error';
import { z } from 'zod';

const maxPages = 4;
/** Objects on a page. If they exceed the limit of an answer, retry with a smaller page, then give up. */
const pageSizes = [50, 5];

const Page = z.object({
  metadata: z.object({ continue: z.string().optional() }).optional(),
  items: z
    .array(z.unknown())
    .nullish()
    .transform((items) => items ?? []),
});

export interface Listed<T> {
  items: T[];
  /** True if there are more objects, which were not read. */
  isPartial: boolean;
}

export interface ListRequest<T> extends Pick<KubeCall, 'signal' | 'deadlineMs' | 'accept'> {
  path: string;
  query?: Record<string, string>;
  /** The fields to keep; objects that do not match are skipped. */
  item: z.ZodType<T>;
}

/** The first objects of a list, bounded in number and size, since their author is not trusted. */
export async function listObjects<T>(
  api: Pick<KubeApi, 'getJson'>,
  { path, query = {}, item, ...call }: ListRequest<T>,
): Promise<Listed<T>> {
  const items: T[] = [];
  let from: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage(api, path, { ...query, ...(from !== undefined && { continue: from }) }, call);
    if (!page) return { items, isPartial: true };
    for (const object of page.items) {
      const { data } = item.safeParse(object);
      if (data !== undefined) items.push(data);
    }
    from = page.metadata?.continue;
    if (!from) return { items, isPartial: false };
  }
  return { items, isPartial: true };
}

async function readPage(
  api: Pick<KubeApi, 'getJson'>,
  path: string,
  query: Record<string, string>,
  call: Pick<KubeCall, 'signal' | 'deadlineMs' | 'accept'>,
): Promise<z.infer<typeof Page> | null> {
  for (const limit of pageSizes) {
    const search = new URLSearchParams({ ...query, limit: `${limit}` });
    try {
      return Page.parse(await api.getJson(`${path}?${search.toString()}`, { ...call, answer: 'list' }));
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
    }
  }
  return null;
}
