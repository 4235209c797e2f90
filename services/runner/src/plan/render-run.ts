import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import { untilAborted } from '@berth/service/waiting/until-aborted';
import { createTaskFolder } from '../files/task-folder.ts';
import { valuesYaml } from '../files/values-yaml.ts';
import type { TextFinder } from '../log/text-finder.ts';
import { AccessRefused, permanent } from '../outcome/task-failure.ts';
import { readCapabilities } from './cluster/read-capabilities.ts';
import { markedValues } from './marked/marked-values.ts';
import type { DryRunDeps, Limits, PlanAccess } from './plan-context.ts';
import { renderChart } from './render-chart.ts';

interface Rendering {
  limits: Limits;
  isUpgrade: boolean;
  /** Redacted from the reason of a failure. */
  secrets: TextFinder;
}

/** Null if the values do not contain secrets; `unknown` if the chart does not render with markers in their place. */
export type MarkedText = { text: string } | 'unknown' | null;

/** The same rendering with markers in place of secrets: every difference was made from a secret, in any encoding. */
export async function renderMarked(
  run: DryRun,
  access: PlanAccess,
  deps: DryRunDeps,
  rendering: Rendering,
): Promise<MarkedText> {
  const values = markedValues(run.values, run.confidential);
  if (values === null) return null;
  try {
    return { text: await renderRun({ ...run, values }, access, deps, rendering) };
  } catch (error) {
    if (rendering.limits.signal.aborted || error instanceof AccessRefused) throw error;
    return 'unknown';
  }
}

/** Values and kubeconfig are in a private folder meanwhile, and never in arguments. */
export async function renderRun(
  run: DryRun,
  { kubeconfig, api, isThere }: PlanAccess,
  deps: DryRunDeps,
  { limits: { signal, remainingMs }, isUpgrade, secrets }: Rendering,
): Promise<string> {
  if (!run.chart) throw permanent('The dry run names no chart');
  const folder = createTaskFolder(deps.folders.tasks);
  try {
    const chart = await untilAborted(deps.charts.path(run.chart, run), signal);
    const files = {
      chart,
      kubeconfig: await folder.write('kubeconfig', kubeconfig),
      values: await folder.write('values.yaml', valuesYaml(run.values)),
    };
    return await renderChart(run, {
      helm: deps.helm,
      files,
      // A chart must not look around in a namespace that is not its own yet.
      capabilities: isThere && !run.adopts ? null : await readCapabilities(api, signal),
      folder: folder.path,
      discoveryCache: `${deps.folders.discovery}/${run.cluster_id}`,
      isUpgrade,
      secrets,
      deadlineMs: remainingMs(),
      signal,
    });
  } finally {
    await folder.remove();
  }
}
