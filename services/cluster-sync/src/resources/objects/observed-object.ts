import { isJsonObject, type JsonObject } from '@berth/shared/contracts/json';
import type { StatusColor } from '@berth/shared/contracts/resources/k8s-resources';
import { z } from 'zod';
import { statusColor } from './status-color.ts';
import { storableMetadata } from './storable-metadata.ts';
import { summaryOf } from './summary.ts';
import type { TrackedKind } from './tracked-kinds.ts';

/** The fields of a Kubernetes object that are shown. Its size is bounded. */
export interface ObservedObject {
  readonly uid: string;
  /** For a namespace, its own name. */
  readonly namespace: string;
  readonly kind: string;
  readonly api_version: string;
  readonly name: string;
  readonly status_color: StatusColor[];
  readonly metadata: JsonObject;
}

const Shape = z.object({ metadata: z.custom<JsonObject>(isJsonObject, 'must be an object') });
const Identifiers = z.object({ uid: z.string().min(1).max(200), name: z.string().min(1).max(253) });

/** Throws where the object is malformed. */
export function observedObject({ kind, apiVersion }: TrackedKind, object: unknown, namespace: string): ObservedObject {
  const { metadata } = Shape.parse(object);
  const { uid, name } = Identifiers.parse(metadata);
  const summary = summaryOf[kind](object);
  return {
    uid,
    namespace,
    kind,
    api_version: apiVersion,
    name,
    status_color: statusColor[kind](object),
    metadata: {
      ...storableMetadata(metadata),
      ...(Object.keys(summary).length > 0 && storableMetadata({ summary })),
    },
  };
}
