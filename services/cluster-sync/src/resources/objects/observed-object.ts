import { isJsonObject, type JsonObject } from '@berth/contracts/fields/json';
import { causeOf } from '@berth/kube/causes/cause-of';
import type { StatusColor } from '@berth/contracts/resources/clusters/k8s-resources';
import { z } from 'zod';
import type { ObjectState } from '../../health/objects/object-state.ts';
import { stateOfObject } from '../../health/objects/state-of-object.ts';
import { parentOf } from './parent-of.ts';
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
  /** Absent if it says nothing of the health of its deployment. */
  readonly health?: ObjectState;
}

const Shape = z.object({ metadata: z.custom<JsonObject>(isJsonObject, 'must be an object') });
const Identifiers = z.object({ uid: z.string().min(1).max(200), name: z.string().min(1).max(253) });

export interface Place {
  readonly clusterId: string;
  readonly namespace: string;
}

/** Throws if the object is malformed. */
export function observedObject(
  { kind, apiVersion }: TrackedKind,
  object: unknown,
  { clusterId, namespace }: Place,
): ObservedObject {
  const {
    // Kubernetes has no such members; a server that only imitates it may send them.
    metadata: { cause: _cause, message: _message, summary: _summary, parent: _parent, ...metadata },
  } = Shape.parse(object);
  const { uid, name } = Identifiers.parse(metadata);
  const summary = summaryOf[kind](object);
  const parent = parentOf(metadata, clusterId);
  const cause = causeOf(kind, object);
  const health = stateOfObject(kind, object, cause);
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
      ...(parent && storableMetadata({ parent })),
      // Leaves room for the strings `cause` and `message`.
      ...cause,
    },
    ...(health && { health }),
  };
}
