import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@berth/shared/contracts/json';
import type { StatusColor } from '@berth/shared/contracts/k8s-resources';
import { z } from 'zod';
import { statusColor } from './status-color.ts';
import { storableMetadata } from './storable-metadata.ts';
import { summaryOf } from './summary.ts';
import type { TrackedKind } from './tracked-kinds.ts';

/** An object of a cluster as it becomes a row. */
export interface TrackedObject {
  readonly uid: string;
  readonly namespace: string;
  readonly deployment_id: string;
  readonly kind: string;
  readonly api_version: string;
  readonly name: string;
  readonly status_color: StatusColor[];
  readonly metadata: JsonObject;
  /** Tells whether anything of the above changed, so that a row is written only then. */
  readonly fingerprint: string;
}

const Shape = z.object({ metadata: z.custom<JsonObject>(isJsonObject, 'must be an object') });
const Identifiers = z.object({ uid: z.string().min(1).max(200), name: z.string().min(1).max(253) });

/** Throws where the object is not as Kubernetes writes it. */
export function trackedObject(
  { kind, apiVersion }: TrackedKind,
  object: unknown,
  { namespace, deploymentId }: { namespace: string; deploymentId: string },
): TrackedObject {
  const { metadata } = Shape.parse(object);
  const { uid, name } = Identifiers.parse(metadata);
  const summary = summaryOf[kind](object);
  const row = {
    uid,
    namespace,
    deployment_id: deploymentId,
    kind,
    api_version: apiVersion,
    name,
    status_color: statusColor[kind](object),
    metadata: {
      ...storableMetadata(metadata),
      ...(Object.keys(summary).length > 0 && { summary }),
    },
  };
  return { ...row, fingerprint: createHash('sha256').update(JSON.stringify(row)).digest('base64url') };
}
