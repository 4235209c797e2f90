import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { createTaskFolder } from '../files/task-folder.ts';
import type { HelmFiles } from '../helm/helm-arguments.ts';
import { valuesYaml } from '../files/values-yaml.ts';
import type { TextFinder } from '../log/text-finder.ts';
import { AccessRefused, permanent } from '../outcome/task-failure.ts';
import { readCapabilities } from '../cluster/read-capabilities.ts';
import { markedValues } from './marked/marked-values.ts';
import type { DryRunDeps, Limits, PlanAccess } from './plan-context.ts';
import { renderChart } from './render-chart.ts';

interface Rendering {
  limits: Limits;
  isUpgrade: boolean;
  /** Definitions precede the objects. */
  hasCrds: boolean;
  /** Redacted from the reason of a failure. */
  secrets: TextFinder;
}

/** Null if the values do not contain secrets; `unknown` if the chart does not render with markers in their place. */
export type MarkedText = { text: string } | 'unknown' | null;

/** The folder crds of a chart, which only a first release creates; empty otherwise. */
export async function crdsOfRun(
  run: DryRun,
  access: PlanAccess,
  deps: DryRunDeps,
  { isUpgrade, limits }: Pick<Rendering, 'isUpgrade' | 'limits'>,
): Promise<string> {
  if (isUpgrade || !run.chart || deps.crds.isEmpty(run.chart)) return '';
  return withFiles(run, access, deps, limits, ({ chart, files, folder }) =>
    deps.crds.read({ chart, file: files.chart, folder, signal: limits.signal }),
  );
}

export const renderRun = (run: DryRun, access: PlanAccess, deps: DryRunDeps, rendering: Rendering): Promise<string> =>
  withFiles(run, access, deps, rendering.limits, ({ files, folder }) =>
    render(run, access, deps, { ...rendering, files, folder }),
  );

/** The same rendering with markers in place of secrets: every difference was made from a secret, in any encoding. */
export async function renderMarked(
  run: DryRun,
  access: PlanAccess,
  deps: DryRunDeps,
  rendering: Rendering,
): Promise<MarkedText> {
  const values = markedValues(run.values, run.confidential);
  if (values === null) return null;
  const marked = { ...run, values };
  try {
    return { text: await renderRun(marked, access, deps, rendering) };
  } catch (error) {
    if (rendering.limits.signal.aborted || error instanceof AccessRefused) throw error;
    return 'unknown';
  }
}

interface Prepared {
  chart: NonNullable<DryRun['chart']>;
  files: HelmFiles;
  folder: string;
}

/** Values and kubeconfig are in a private folder meanwhile, and never in arguments. */
async function withFiles<T>(
  run: DryRun,
  { kubeconfig }: PlanAccess,
  deps: DryRunDeps,
  { signal }: Limits,
  use: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  if (!run.chart) throw permanent('The dry run names no chart');
  const folder = createTaskFolder(deps.folders.tasks);
  try {
    const file = await untilAborted(deps.charts.path(run.chart, run), signal);
    const files = {
      chart: file,
      checksValues: await deps.schemasAreLocal({ chart: run.chart, file, owner: run.deployment_id, signal }),
      kubeconfig: await folder.write('kubeconfig', kubeconfig),
      values: await folder.write('values.yaml', valuesYaml(run.values)),
    };
    return await use({ chart: run.chart, files, folder: folder.path });
  } finally {
    await folder.remove();
  }
}

async function render(
  run: DryRun,
  { api, isThere }: PlanAccess,
  deps: DryRunDeps,
  { limits: { signal, remainingMs }, isUpgrade, hasCrds, secrets, files, folder }: Rendering & Omit<Prepared, 'chart'>,
): Promise<string> {
  return renderChart(run, {
    helm: deps.helm,
    files,
    // A chart must not read objects of a namespace that is not its own yet, and with the cluster Helm refuses kinds that are not defined yet.
    capabilities: isThere && !run.adopts && !hasCrds ? null : await readCapabilities(api, signal),
    folder,
    discoveryCache: `${deps.folders.discovery}/${run.cluster_id}`,
    isUpgrade,
    secrets,
    deadlineMs: remainingMs(),
    signal,
  });
}
