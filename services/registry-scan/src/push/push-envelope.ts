import { z } from 'zod';
import { isDigest, isRepositoryName, isTag } from '../oci/names.ts';

/** Where to look; nothing else that a notification says is believed. */
export interface PushHint {
  /** As the registry calls itself, which need not be what we call it. */
  host: string | null;
  repository: string;
  /** Null: look through the repository. */
  tag: string | null;
  /** What should be seen there; null where it is not said, or not in a way that we compare. */
  digest: string | null;
}

const maxEvents = 1000;

const Event = z.object({
  action: z.string(),
  target: z.object({ repository: z.string(), tag: z.string().nullish(), digest: z.string().nullish() }),
  request: z.object({ host: z.string().max(300).nullish() }).nullish(),
});

export const PushEnvelope = z.object({ events: z.array(z.unknown()).max(maxEvents) });

/** The hints in an envelope of the distribution project's notifications; events that are of no use are passed over. */
export function hintsIn({ events }: z.infer<typeof PushEnvelope>): PushHint[] {
  return events.flatMap((event): PushHint[] => {
    const { data } = Event.safeParse(event);
    if (!data) return [];
    const { action, target, request } = data;
    if (!isRepositoryName(target.repository)) return [];

    const host = request?.host ?? null;
    const { repository, tag, digest } = target;
    if (action === 'push' && tag && isTag(tag)) {
      return [{ host, repository, tag, digest: digest && isDigest(digest) ? digest : null }];
    }
    // A deletion by digest names no tag, and may take several along.
    return action === 'delete' ? [{ host, repository, tag: null, digest: null }] : [];
  });
}
