import { findChartOf } from '../live/charts.ts';
import { fieldsOf } from './changed-fields.ts';
import type { LiveSet } from '../live/live-set.ts';
import { clustersAfter } from './place-documents.ts';
import type { Step } from './step.ts';
import type { SetDocument, Source } from '../documents/set-document.ts';

interface Given {
  live: LiveSet;
  byKey: ReadonlyMap<string, SetDocument>;
  problemOf: (source: Source) => string | null;
}

/** Why a step cannot be done, as far as that can be known before it is tried; null if nothing is known. */
export function refusalOf(step: Step, given: Given): string | null {
  const { live, action, key } = step;
  if (live?.isLeaving) return 'is being deleted: apply again once it is gone';
  const ids = given.live.ambiguous.get(key);
  if (ids) return `several have this name: give the id of one, ${ids.join(' or ')}`;
  if (action === 'keep') return null;
  return (
    missingNeed(step, given) ??
    missingName(step, given) ??
    missingChart(step, given) ??
    missingContents(step, given) ??
    cannotChange(step)
  );
}

function missingNeed({ document, needs }: Step, { live, byKey }: Given): string | null {
  const place = clusterProblem(document, { live, byKey });
  if (place !== null) return place;
  const missing = needs.find((key) => !live.rows.has(key) && !byKey.has(key));
  if (missing === undefined) return null;
  const [kind] = missing.split('/');
  const way =
    kind === 'Cluster' ? 'berth get clusters lists those that the platform has found' : 'add a document for it';
  return `there is no ${missing}: ${way}`;
}

function clusterProblem(document: SetDocument, { live, byKey }: Pick<Given, 'live' | 'byKey'>): string | null {
  if (document.kind !== 'Deployment' && document.kind !== 'Resource') return null;
  const names = clustersAfter([...byKey.values()], live).get(document.env) ?? [];
  if (document.cluster === undefined)
    return names.length === 0
      ? `env ${document.env} has no cluster: add a Cluster document`
      : `env ${document.env} has several clusters: give cluster, one of ${names.join(', ')}`;
  return names.includes(document.cluster)
    ? null
    : `cluster ${document.cluster} is not one that env ${document.env} may use: ${names.join(', ') || 'it has none'}`;
}

function missingName({ document, live: row }: Step, { live }: Given): string | null {
  if (document.kind === 'Cluster' && row === null)
    return `there is no cluster ${document.name}: berth get clusters lists those that the platform has found`;
  if ((document.kind === 'Member' || document.kind === 'Role') && !live.users.has(document.user))
    return `there is no user ${document.user}: a user is there after the first sign-in`;
  if (document.kind === 'Role' && !live.kinds.has(document.deployment_kind))
    return `there is no kind ${document.deployment_kind}: berth get kinds lists them`;
  return null;
}

function missingChart({ document, fields, action }: Step, { live }: Given): string | null {
  if (document.kind !== 'Deployment' || (action === 'change' && !fieldsOf(fields).has('chart'))) return null;
  const chart = findChartOf(live.charts, document.chart);
  if (!chart?.available) return `there is no chart ${document.chart} in the catalogue`;
  return chart.error === null ? null : `chart ${document.chart} cannot be deployed: ${chart.error}`;
}

/** Contents are read only where they are written. */
function missingContents({ document, fields, action }: Step, { problemOf }: Given): string | null {
  const isWritten = (field: string): boolean => action === 'create' || fieldsOf(fields).has(field);
  const contents = document.kind === 'Secret' && isWritten('contents') ? [document.contents] : [];
  const props = document.kind === 'Resource' && isWritten('sensitive_props') ? (document.sensitive_props ?? {}) : {};
  return [...contents, ...Object.values(props)].map(problemOf).find((problem) => problem !== null) ?? null;
}

function cannotChange({ document, fields, action }: Step): string | null {
  const moved =
    action === 'change' &&
    document.kind === 'Resource' &&
    fields.find(({ path }) => ['deployment', 'cluster'].includes(path));
  return moved ? 'the deployment that manages a resource cannot change: delete the resource first' : null;
}
