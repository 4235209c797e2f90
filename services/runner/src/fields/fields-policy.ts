import { type FieldPath, fieldPathOf } from '@berth/contracts/resources/deployments/field-path';
import type { Ownership } from './managed-fields.ts';

/** The manager by which Berth keeps a value that only Helm owned; see `share-fields.ts`. */
export const ownManager = 'berth-keeps';

/** Tools by which people change objects: a person who scales is not an autoscaler. Browsers and `curl` go by their own names. */
const toolsOfPeople =
  /^(?:kubectl|oc|k9s|helm|lens|freelens|openlens|node-fetch|headlamp|dashboard|kubernetes-dashboard|rancher|octant|argocd|mozilla|curl|python-requests|postman)/i;
/** The manager of a HorizontalPodAutoscaler's writes, which outlive it. */
const horizontalManager = 'kube-controller-manager';

/** What is known of a field that the chart renders and somebody besides Helm owns. */
export interface FieldFacts {
  kind: string;
  name: string;
  path: readonly string[];
  /** The others who own it. */
  owners: readonly Pick<Ownership, 'manager' | 'subresource'>[];
  /** The autoscaler whose target the object is; null if it has none. */
  autoscaler: string | null;
  /** False if the autoscalers could not be read. */
  areAutoscalersKnown: boolean;
  /** A hook that Helm applies again instead of creating it anew. It does so without taking fields from others. */
  isLastingHook: boolean;
}

/** Why a field keeps its live value; null: the chart's value is taken back. Specification, "Fields of others". */
export function whyKept(facts: FieldFacts, keep: readonly FieldPath[]): string | null {
  const { owners, autoscaler, areAutoscalersKnown, isLastingHook } = facts;
  if (autoscaler !== null && isReplicas(facts.path)) return `the ${autoscaler} scales the object`;
  const scaler = owners.find(
    ({ manager, subresource }) =>
      subresource === 'scale' &&
      !toolsOfPeople.test(manager) &&
      (manager !== horizontalManager || !areAutoscalersKnown),
  );
  if (scaler) return `${scaler.manager} scales the object`;
  if (keep.some((path) => covers(path, facts))) return 'its path is among those to keep';
  return isLastingHook ? 'Helm cannot take back fields of a hook that it does not create anew' : null;
}

export const isReplicas = (path: readonly string[]): boolean =>
  path.length === 2 && path[0] === 'spec' && path[1] === 'replicas';

/** Paths that are not valid are left out: they are checked where they are given. */
export const fieldPathsOf = (texts: readonly string[]): FieldPath[] => texts.flatMap((text) => fieldPathOf(text) ?? []);

const covers = (kept: FieldPath, { kind, name, path }: Pick<FieldFacts, 'kind' | 'name' | 'path'>): boolean =>
  (kept.kind === null || kept.kind === kind) &&
  (kept.name === null || kept.name === name) &&
  kept.segments.length <= path.length &&
  kept.segments.every((segment, at) => segment === '*' || segment === path[at]);
