import { z } from 'zod';
import { deleted, pushed } from '../../oci/push-hints.ts';
import { hasBearer, hasPassword, type PushFormat } from './push-format.ts';

const Data = z.object({ name: z.string(), reference: z.string().nullish(), digest: z.string().nullish() });

/** The events of Zot, CloudEvents whose type is in a header: https://zotregistry.dev/latest/articles/events/ */
export const zot: PushFormat = {
  path: '/events/zot',
  mayBeAuthorized: (headers, token) => hasBearer(headers, token) || hasPassword(headers, token),
  hintsIn(event, headers) {
    const { data } = Data.safeParse(event);
    if (!data) return null;
    const type = String(headers['ce-type'] ?? '');
    const named = { repository: data.name, tag: data.reference, digest: data.digest };
    // Its prefix can be configured.
    if (type.endsWith('.image.updated')) return pushed(named);
    return type.endsWith('.image.deleted') ? deleted(named) : [];
  },
};
