import type { DryRun, DryRunResult } from '@berth/contracts/resources/tasks/dry-runs';
import { isJsonObject, type JsonObject, parsedJson } from '@berth/contracts/fields/json';
import { autoscalersOf } from '../fields/autoscalers.ts';
import { fieldPathsOf } from '../fields/fields-policy.ts';
import { finderOf } from '../log/known-secrets.ts';
import type { Refusal } from '../manifests/refuse-object.ts';
import { markBlocked } from './diff/mark-blocked.ts';
import { boundResult } from './diff/bound-result.ts';
import { type DesiredObject, diffManifests, type Manifests, type Marked } from './diff/diff-manifests.ts';
import { hiddenOf } from './diff/hide-secrets.ts';
import { hooksOf, isHook } from './diff/hooks.ts';
import { planFields } from './diff/plan-fields.ts';
import { planOfRemoval } from './diff/plan-of-removal.ts';
import { markRefused, type Tried, untriedObjects } from './diff/tried-objects.ts';

/** Everything that a plan compares, in the form that is sent to another process. */
export interface Sides {
  run: Pick<DryRun, 'action' | 'namespace' | 'secrets' | 'confidential'>;
  /** Credentials for the cluster, which plans never show. */
  credentials: readonly string[];
  /** Whether the namespace exists. */
  isThere: boolean;
  /** The namespace was there before the deployment, and stays when the release is removed. */
  isAdopted: boolean;
  /** What the cluster warns of when Berth takes over the namespace; null if it does not. */
  takesOver: readonly string[] | null;
  isUpgrade: boolean;
  old: readonly DesiredObject[];
  next: readonly DesiredObject[];
  live: Manifests['live'];
  marked: Marked;
  unreadable: number;
  refused: readonly Refusal[];
  /** What the cluster said of the new objects. */
  tried: readonly Tried[];
  /** Null for a service of the previous version, which does not know what is contested. */
  fields: { keep: readonly string[]; autoscalers: string | null } | null;
  /** Transition: objects that would be refused are reported but not blocked. */
  isShared: boolean;
}

/** The plan for one place, cut to size and without secrets. Pure. */
export function compareSides({ run, credentials, isThere, isUpgrade, ...sides }: Sides): DryRunResult {
  const { old, next, live, marked, unreadable, refused, tried, fields, isShared, isAdopted, takesOver } = sides;
  const { namespace: name } = run;
  const cut = { objects: unreadable, fields: 0, values: 0, hooks: 0 };
  if (run.action === 'uninstall')
    return boundResult({ ...planOfRemoval({ old, live, namespace: name, isThere, isAdopted }), cut });

  const values = Object.values(run.secrets).flatMap((entries) => Object.values(entries));
  const hidden = hiddenOf(run, finderOf([...values, ...run.confidential, ...credentials]));
  const policy = {
    autoscalers: autoscalersOf(next, jsonOf(fields?.autoscalers ?? null), { namespace: name }),
    areAutoscalersKnown: fields !== null && fields.autoscalers !== null,
    keep: fieldPathsOf(fields?.keep ?? []),
  };
  const planned = planFields(next, { live, marked, hidden }, policy);
  const wanted = planned.wanted.filter((object) => !isHook(object));
  const release = { namespace: name, name };
  const { objects, unchanged } = diffManifests({ release, old, wanted, live, hidden, marked });
  const blocked = markRefused(objects, tried, { wanted: next, marked, hidden });
  const created = isThere ? [] : [namespaceObject(name, 'create', null)];
  const taken = takesOver ? [namespaceObject(name, 'change', [takeover, ...takesOver].join('; '))] : [];
  const hooks = hooksOf(next.filter(isHook), { isUpgrade, marked });
  const result = {
    objects: [...created, ...taken, ...markBlocked(blocked, refused, { isShared })],
    hooks,
    unchanged,
    cut,
  };
  if (fields === null) return boundResult(result);
  return boundResult({
    ...result,
    contested: planned.contested,
    untried: untriedObjects(tried, { wanted: next, marked }),
  });
}

function jsonOf(text: string | null): JsonObject | undefined {
  const value = text === null ? undefined : parsedJson(text);
  return isJsonObject(value) ? value : undefined;
}

const takeover =
  'Berth takes it over with everything in it: labels, limits of pods, and the account of the deployment, which may read its Secrets';

export const namespaceObject = (name: string, action: 'create' | 'change' | 'blocked', reason: string | null) => ({
  action,
  api_version: 'v1',
  kind: 'Namespace',
  namespace: null,
  name,
  reason,
  fields: [],
});
