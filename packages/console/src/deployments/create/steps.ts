import type { Search } from '../../ui/page/address.ts';

export const steps = ['kind', 'version', 'cluster', 'name', 'form'] as const;
export type Step = (typeof steps)[number];

export const stepWords: Record<Step, string> = {
  kind: 'Kind',
  version: 'Version',
  cluster: 'Cluster',
  name: 'Name',
  form: 'Form and plan',
};

/** What an address says about a new deployment. */
export interface Chosen {
  kind: string | null;
  chart: string | null;
  cluster: string | null;
  /** Null until it is given; empty if the chart allows one deployment per cluster. */
  name: string | null;
  adopt: boolean;
}

/** An address cannot hold an empty text, so this stands for an empty name. */
export const noName = '-';

export function chosenIn(search: Search): Chosen {
  const name = search['name'] ?? null;
  return {
    kind: search['kind'] ?? null,
    chart: search['chart'] ?? null,
    cluster: search['cluster'] ?? null,
    name: name === noName ? '' : name,
    adopt: search['adopt'] === 'true',
  };
}

const isDone = (step: Step, { kind, chart, cluster, name }: Chosen): boolean =>
  ({ kind: kind !== null, version: chart !== null, cluster: cluster !== null, name: name !== null, form: false })[step];

/** The first step that is not done. No later step is reachable. */
const firstOpen = (chosen: Chosen): Step => steps.find((step) => !isDone(step, chosen)) ?? 'form';

export const canReach = (step: Step, chosen: Chosen): boolean =>
  steps.indexOf(step) <= steps.indexOf(firstOpen(chosen));

/** The step that an address shows. */
export function stepIn(search: Search): Step {
  const chosen = chosenIn(search);
  const asked = steps.find((step) => step === search['step']);
  return asked !== undefined && canReach(asked, chosen) ? asked : firstOpen(chosen);
}

/** The steps that an error of an answer is about. */
const stepOfPath: Record<string, Step> = {
  'body.kind_id': 'kind',
  'body.helm_chart_id': 'version',
  'body.cluster_id': 'cluster',
  'body.name': 'name',
};

/** The steps in which to correct what was refused. A conflict is about the place, which follows from the name. */
export const stepsToMend = (problem: { code: string; errors: readonly { path: string }[] }): Step[] => [
  ...new Set([
    ...problem.errors.flatMap(({ path }) => stepOfPath[path] ?? []),
    ...(problem.code === 'conflict' ? (['name'] as const) : []),
  ]),
];
