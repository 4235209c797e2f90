import { Features, featuresOf } from '@berth/chart-extensions/files/features';
import { ValuesUi } from '@berth/chart-extensions/form/values-ui';
import type { AppError } from '@berth/contracts/errors';
import type { ProjectedChart, ProjectionRepository } from '../store/projection-repository.ts';
import type { FieldPaths } from '../records/field-paths.ts';
import { CatalogueRefusal } from '../errors/catalogue-refusal.ts';
import { parseOnce } from './parse-once.ts';

// The largest form takes about 15 ms to parse, and each claim, creation and update of a deployment reads one.
const mostForms = { entries: 1_000, bytes: 8 * 1024 * 1024 };
const mostFeatures = { entries: 1_000, bytes: 1024 * 1024 };
const formOf = parseOnce((stored) => ValuesUi.safeParse(stored), mostForms);
const parsedFeaturesOf = parseOnce((stored) => Features.safeParse(stored), mostFeatures);

/** A chart with its parsed extensions. */
export interface Chart extends ProjectedChart {
  parsedFeatures: Features;
  /** Null if the chart has no inputs: any config is valid. */
  form: ValuesUi | null;
}

/** The chart, even if it cannot be deployed now: the chart of a running deployment may have left its registry. */
export async function findChart(
  projected: Pick<ProjectionRepository, 'chart'>,
  id: string,
  paths: Pick<FieldPaths, 'helm_chart_id'>,
): Promise<Chart> {
  const chart = await projected.chart(id);
  if (!chart) throw unfitChart(id, paths, 'no such chart');
  return readChart(chart);
}

/** A chart whose stored extensions no longer parse is broken, like one whose extensions did not parse when it was found. */
export function readChart(chart: ProjectedChart): Chart {
  const features = parsedFeaturesOf(chart.features ?? {});
  const form = chart.values_ui && formOf(chart.values_ui);
  const isRead = features.success && form?.success !== false;
  return {
    ...chart,
    error: chart.error ?? (isRead ? null : 'its extensions do not fit the present rules'),
    parsedFeatures: features.data ?? featuresOf(null),
    form: form?.data ?? null,
  };
}

/** Why the chart cannot be deployed as this kind; null if it can. */
function chartProblem({ kind_id, error, available }: ProjectedChart, wantedKind: string): string | null {
  if (kind_id !== wantedKind) return 'the chart belongs to another kind';
  if (error !== null) return errorIn(error);
  if (!available) return 'the chart is no longer available';
  return null;
}

const errorIn = (error: string): string => `the chart has an error: ${error}`;

/** Newer rules may find an error in a stored chart, which then has no form. */
export function checkError(
  { id, error }: Pick<ProjectedChart, 'id' | 'error'>,
  paths: Pick<FieldPaths, 'helm_chart_id'>,
): void {
  if (error !== null) throw unfitChart(id, paths, errorIn(error));
}

export function checkChart(chart: ProjectedChart, kindId: string, paths: Pick<FieldPaths, 'helm_chart_id'>): void {
  const problem = chartProblem(chart, kindId);
  if (problem !== null) {
    throw new CatalogueRefusal({ helm_chart_id: chart.id, kind_id: kindId }, paths.helm_chart_id, problem);
  }
}

export const unfitChart = (
  helm_chart_id: string,
  paths: Pick<FieldPaths, 'helm_chart_id'>,
  message: string,
): AppError => new CatalogueRefusal({ helm_chart_id }, paths.helm_chart_id, message);
