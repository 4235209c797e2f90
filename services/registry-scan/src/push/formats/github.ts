import { z } from 'zod';
import { pushed } from '../../oci/push-hints.ts';
import { isSignature, type PushFormat } from './push-format.ts';

const Package = z.object({
  name: z.string(),
  namespace: z.string(),
  package_version: z
    .object({
      container_metadata: z
        .object({ tag: z.object({ name: z.string().nullish(), digest: z.string().nullish() }).nullish() })
        .nullish(),
    })
    .nullish(),
});
const Event = z.object({ action: z.string(), registry_package: Package.optional(), package: Package.optional() });

const signature = 'x-hub-signature-256';

/** The webhooks of GitHub for packages, signed with the token as their secret: https://docs.github.com/en/webhooks/webhook-events-and-payloads#registry_package */
export const github: PushFormat = {
  path: '/events/github',
  mayBeAuthorized: (headers) => /^sha256=[0-9a-f]{64}$/.test(String(headers[signature] ?? '')),
  isSigned: (headers, body, token) => isSignature(headers[signature], body, token),
  hintsIn(event, headers) {
    // Sent once, when the webhook is created.
    if (headers['x-github-event'] === 'ping') return [];
    const { data } = Event.safeParse(event);
    const found = data?.registry_package ?? data?.package;
    if (!found) return null;
    const tag = found.package_version?.container_metadata?.tag;
    // Names in the registry are in lower case.
    const repository = `${found.namespace}/${found.name}`.toLowerCase();
    return pushed({ host: 'ghcr.io', repository, tag: tag?.name, digest: tag?.digest });
  },
};
