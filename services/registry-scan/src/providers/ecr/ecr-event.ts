import { parsedBoundedJson } from '@berth/contracts/fields/bounded-json';
import { z } from 'zod';
import type { MessageContent } from '../../connection/event-queue.ts';
import type { PushHint } from '../../connection/push-hint.ts';
import { deleted, pushed } from '../../oci/push-hints.ts';
import { ecrName } from './ecr-host.ts';

const Event = z.object({
  source: z.string(),
  'detail-type': z.string(),
  account: z.string().regex(/^\d{12}$/),
  region: z.string().regex(/^[a-z0-9-]{1,30}$/),
  detail: z.record(z.string(), z.unknown()),
});

const Image = z.object({
  'repository-name': z.string(),
  'image-digest': z.string().nullish(),
  'image-tag': z.string().nullish(),
});
const ImageAction = Image.extend({ result: z.string(), 'action-type': z.string() });
const CacheAction = Image.extend({ 'sync-status': z.string() });

/** Reads what EventBridge sends for ECR: https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-eventbridge.html */
export function readEcrEvent(body: string): MessageContent {
  const json = parsedBoundedJson(body);
  if (json === undefined) return { refused: 'it is not JSON' };
  const { data: event, error } = Event.safeParse(json);
  if (error) return refusal('it is not an event of EventBridge', error);
  if (event.source !== 'aws.ecr') return { refused: 'source: is not aws.ecr' };

  const host = ecrName(event);
  switch (event['detail-type']) {
    case 'ECR Image Action': {
      const { data, error: wrong } = ImageAction.safeParse(event.detail);
      if (wrong) return refusal('it is not an image action', wrong);
      const named = imageIn(host, data);
      if (data.result !== 'SUCCESS') return { hint: null };
      if (data['action-type'] === 'DELETE') return firstOf(deleted(named));
      return data['action-type'] === 'PUSH' ? firstOf(pushed(named)) : { hint: null };
    }
    case 'ECR Pull Through Cache Action': {
      const { data, error: wrong } = CacheAction.safeParse(event.detail);
      if (wrong) return refusal('it is not an action of a cache', wrong);
      return data['sync-status'] === 'SUCCESS' ? firstOf(pushed(imageIn(host, data))) : { hint: null };
    }
    // Scans of images, and what ECR may report some day.
    default:
      return { hint: null };
  }
}

const imageIn = (host: string, image: z.infer<typeof Image>) => ({
  host,
  repository: image['repository-name'],
  tag: image['image-tag'],
  digest: image['image-digest'],
});

/** Null for an image without a tag, which is not a chart, and for one whose name is invalid. */
const firstOf = (hints: PushHint[]): MessageContent => ({ hint: hints[0] ?? null });

function refusal(what: string, { issues: [issue] }: z.ZodError): MessageContent {
  const field = issue?.path.join('.') ?? '';
  return { refused: `${what}: ${field && `${field}: `}${issue?.message ?? 'it is malformed'}` };
}
