import type { ClaimedTask } from '@berth/shared/contracts/resources/runner-tasks';

export interface HelmFiles {
  kubeconfig: string;
  chart: string;
  values: string;
}

const target = (task: Pick<ClaimedTask, 'namespace'>, kubeconfig: string) => [
  '--namespace',
  task.namespace,
  '--kubeconfig',
  kubeconfig,
];

/** `helm upgrade --install`: the same command whether the release exists or not. */
export function deployArguments(
  task: ClaimedTask,
  { kubeconfig, chart, values }: HelmFiles,
  labels: Record<string, string>,
): string[] {
  const wait = task.wait.enabled ? ['--wait', '--timeout', `${task.wait.timeout_secs}s`] : [];
  return [
    'upgrade',
    '--install',
    // Otherwise Helm reuses the values of the last release when the new ones are empty.
    '--reset-values',
    ...target(task, kubeconfig),
    '--values',
    values,
    '--labels',
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    '--history-max',
    '10',
    // The server validates fields strictly anyway. This check would only find out whether it does, and load its whole OpenAPI
    // document for that: a quarter of Helm's work.
    '--disable-openapi-validation',
    ...wait,
    '--',
    task.namespace,
    chart,
  ];
}

export function uninstallArguments(task: ClaimedTask, { kubeconfig }: Pick<HelmFiles, 'kubeconfig'>): string[] {
  return [
    'uninstall',
    ...target(task, kubeconfig),
    '--ignore-not-found',
    '--wait',
    '--timeout',
    `${task.wait.timeout_secs}s`,
    '--',
    task.namespace,
  ];
}
