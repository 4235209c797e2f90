import type { K8sEvent } from '@berth/contracts/resources/clusters/k8s-events';
import { plainText } from '@berth/contracts/plain-text';
import { z } from 'zod';
import { isTrackedKind } from '../../resources/objects/tracked-kinds.ts';
import { resourceId } from '../../resources/objects/resource-id.ts';

const word = (most: number) =>
  z
    .string()
    .catch('')
    .transform((text) => plainText(text, most));
const time = z.string().optional().catch(undefined);

/** Both shapes of events: counted by the sender, or as a series. Null stands for a missing field. */
const Event = z.object({
  metadata: z.object({ uid: z.string().max(200), creationTimestamp: time }),
  type: word(50),
  reason: word(200),
  message: word(1_000),
  count: z.number().int().nonnegative().optional().catch(undefined),
  firstTimestamp: time,
  lastTimestamp: time,
  eventTime: time,
  series: z
    .object({ count: z.number().int().nonnegative().optional().catch(undefined), lastObservedTime: time })
    .optional()
    .catch(undefined),
  involvedObject: z
    .object({ kind: word(100), name: word(253), apiVersion: word(253), uid: z.string().max(200).catch('') })
    .catch({ kind: '', name: '', apiVersion: '', uid: '' }),
  source: z.object({ component: word(200) }).catch({ component: '' }),
  reportingComponent: word(200),
});

/** Null if it is malformed. Its texts are untrusted: workloads and their controllers write them. */
export function k8sEventOf(event: unknown, clusterId: string): K8sEvent | null {
  const { data } = Event.safeParse(event);
  if (!data) return null;
  const { metadata, series, involvedObject, source, reportingComponent } = data;
  const created = momentOf(metadata.creationTimestamp);
  const first = momentOf(data.firstTimestamp) ?? momentOf(data.eventTime) ?? created;
  const last =
    momentOf(series?.lastObservedTime) ?? momentOf(data.lastTimestamp) ?? momentOf(data.eventTime) ?? created;
  if (first === null || last === null) return null;
  const { kind, name, apiVersion, uid } = involvedObject;
  return {
    uid: plainText(metadata.uid, 200),
    type: data.type,
    reason: data.reason,
    message: data.message,
    count: series?.count ?? data.count ?? 1,
    first_seen_at: first,
    last_seen_at: last,
    object: {
      kind,
      name,
      resource_id: isTrackedKind(kind, apiVersion) && uid !== '' ? resourceId(clusterId, uid) : null,
    },
    source: source.component || reportingComponent,
  };
}

function momentOf(text: string | undefined): string | null {
  const moment = new Date(text ?? Number.NaN);
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999 ? moment.toISOString() : null;
}
