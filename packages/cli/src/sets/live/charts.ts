import { kindOfChart } from '../documents/row-key.ts';

/** What sets need of a chart of the catalogue. */
export interface Chart {
  id: string;
  kind: string;
  tag: string;
  digest: string;
  available: boolean;
  /** Why it cannot be deployed. */
  error: string | null;
}

/** The chart that `KIND@VERSION` or `KIND@sha256:DIGEST` names; one that is no longer available only if there is no other. */
export function findChartOf(charts: readonly Chart[], text: string): Chart | null {
  const kind = kindOfChart(text);
  const wanted = text.slice(kind.length + 1);
  const found = charts.filter((chart) => chart.kind === kind && [chart.tag, chart.digest, chart.id].includes(wanted));
  return found.find(({ available }) => available) ?? found[0] ?? null;
}

/** The text that names this chart and no other: a version may have new content meanwhile, and a digest may be in two registries. */
export function chartText(charts: readonly Chart[], { id, kind, tag, digest }: Chart): string {
  const names = [tag, digest].map((name) => `${kind}@${name}`);
  return names.find((name) => findChartOf(charts, name)?.id === id) ?? `${kind}@${id}`;
}

/** The same chart in the form in which live rows name it, so that texts can be compared. */
export function canonicalChart(charts: readonly Chart[], text: string): string {
  const chart = findChartOf(charts, text);
  return chart === null ? text : chartText(charts, chart);
}
