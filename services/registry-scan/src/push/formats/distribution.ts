import { z } from 'zod';
import type { PushHint } from '../../connection/push-hint.ts';
import { deleted, pushed } from '../../oci/push-hints.ts';
import { hasBearer, type PushFormat } from './push-format.ts';

const Envelope = z.object({ events: z.array(z.unknown()).max(1000) });

const Event = z.object({
  action: z.string(),
  target: z.object({ repository: z.string(), tag: z.string().nullish(), digest: z.string().nullish() }),
  request: z.object({ host: z.string().max(300).nullish() }).nullish(),
});

/** The notifications of the distribution project: https://distribution.github.io/distribution/about/notifications/ */
export const distribution: PushFormat = {
  path: '/events',
  mayBeAuthorized: hasBearer,
  hintsIn: (body) => Envelope.safeParse(body).data?.events.flatMap(hintsOf) ?? null,
};

/** An event that cannot be read does not spoil the others of its envelope. */
function hintsOf(event: unknown): PushHint[] {
  const { data } = Event.safeParse(event);
  if (!data) return [];
  const { action, target, request } = data;
  const named = { host: request?.host ?? null, ...target };
  if (action === 'push') return pushed(named);
  // A deletion by digest names no tag, and may delete several.
  return action === 'delete' ? deleted(named) : [];
}
