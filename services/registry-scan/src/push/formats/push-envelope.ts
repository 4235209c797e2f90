import { z } from 'zod';
import type { PushHint } from '../../connection/push-hint.ts';
import { isDigest, isRepositoryName, isTag } from '../../oci/names.ts';

const maxEvents = 1000;

const Event = z.object({
  action: z.string(),
  target: z.object({ repository: z.string(), tag: z.string().nullish(), digest: z.string().nullish() }),
  request: z.object({ host: z.string().max(300).nullish() }).nullish(),
});

export const PushEnvelope = z.object({ events: z.array(z.unknown()).max(maxEvents) });

/** Extracts the hints from an envelope of the distribution project's notifications; unusable events are skipped. */
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
    // A deletion by digest names no tag, and may delete several.
    return action === 'delete' ? [{ host, repository, tag: null, digest: null }] : [];
  });
}
