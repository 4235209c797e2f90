import { z } from 'zod';
import type { PushHint } from '../../connection/push-hint.ts';
import { deleted, pushed } from '../../oci/push-hints.ts';
import { hasBearer, type PushFormat } from './push-format.ts';

const Event = z.object({
  type: z.string(),
  event_data: z.object({
    resources: z
      .array(z.object({ digest: z.string().nullish(), tag: z.string().nullish(), resource_url: z.string().nullish() }))
      .max(1000)
      .nullish(),
    repository: z.object({ repo_full_name: z.string() }).nullish(),
  }),
});

/** The webhooks of Harbor, in its default format: https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/ */
export const harbor: PushFormat = {
  path: '/events/harbor',
  mayBeAuthorized: hasBearer,
  hintsIn(event): PushHint[] | null {
    const { data } = Event.safeParse(event);
    if (!data) return null;
    const { type, event_data } = data;
    const repository = event_data.repository?.repo_full_name ?? '';
    return (event_data.resources ?? []).flatMap(({ digest, tag, resource_url }) => {
      const named = { host: resource_url?.split('/')[0] || null, repository, tag, digest };
      if (type === 'PUSH_ARTIFACT') return pushed(named);
      return type === 'DELETE_ARTIFACT' ? deleted(named) : [];
    });
  },
};
