import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';

import { handOverArguments } from './hand-over.ts';

export interface HelmFiles {
  kubeconfig: string;
  chart: string;
  values: string;
  /** Helm checks the values against the schemas of the chart, and loads whatever these refer to. */
  checksValues: boolean;
}

/** The version of a cluster and its kinds, as `apps/v1` and `apps/v1/Deployment`. */
export interface Capabilities {
  kubeVersion: string;
  apiVersions: readonly string[];
}

const target = (task: Pick<ClaimedTask, 'namespace'>, kubeconfig: string) => [
  '--namespace',
  task.namespace,
  '--kubeconfig',
  kubeconfig,
];

const withoutCheck = (checksValues: boolean): string[] => (checksValues ? [] : ['--skip-schema-validation']);

export interface DeployOptions {
  labels: Record<string, string>;
  /** Helm waits for the release itself, because hooks run afterwards. Otherwise only hooks are waited for. */
  waits: boolean;
}

/** `helm upgrade --install`: the same command whether the release exists or not. */
export function deployArguments(
  task: ClaimedTask,
  { kubeconfig, chart, values, checksValues }: HelmFiles,
  { labels, waits }: DeployOptions,
): string[] {
  const timeout = task.wait.enabled ? ['--timeout', `${task.wait.timeout_secs}s`] : [];
  const wait = waits ? ['--wait', ...timeout] : timeout;
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
    // A deploy never fails because something else wrote a field since, or because an older Helm applied the release differently.
    '--server-side=true',
    '--force-conflicts',
    ...handOverArguments,
    // The runner has created the missing ones. With `--force-conflicts`, Helm would overwrite those that exist.
    '--skip-crds',
    ...withoutCheck(checksValues),
    ...wait,
    '--',
    task.namespace,
    chart,
  ];
}

/**
 * Renders the manifests that the same deploy would install, including hooks, without changing the cluster. Templates can read the
 * cluster's objects, unless `capabilities` are given. Unlike `upgrade --dry-run` this works while a release is pending.
 */
export const templateArguments = (
  { namespace }: Pick<ClaimedTask, 'namespace'>,
  { kubeconfig, chart, values, checksValues }: HelmFiles,
  { isUpgrade, capabilities }: { isUpgrade: boolean; capabilities: Capabilities | null },
): string[] => [
  'template',
  ...(capabilities
    ? ['--kube-version', capabilities.kubeVersion, '--api-versions', capabilities.apiVersions.join(',')]
    : ['--dry-run=server']),
  // The folder crds is installed only with the first release.
  isUpgrade ? '--is-upgrade' : '--include-crds',
  ...target({ namespace }, kubeconfig),
  '--values',
  values,
  '--skip-tests',
  ...withoutCheck(checksValues),
  '--disable-openapi-validation',
  // As in a deploy, since handing over reformats the YAML.
  ...handOverArguments,
  '--',
  namespace,
  chart,
];

/** Prints the contents of a chart's folder crds, without access to a cluster. */
export const crdsArguments = (chart: string): string[] => ['show', 'crds', '--', chart];

export function uninstallArguments(
  task: ClaimedTask,
  { kubeconfig, hooks }: Pick<HelmFiles, 'kubeconfig'> & { hooks: boolean },
): string[] {
  return [
    'uninstall',
    ...target(task, kubeconfig),
    '--ignore-not-found',
    ...(hooks ? [] : ['--no-hooks']),
    '--wait',
    '--timeout',
    `${task.wait.timeout_secs}s`,
    '--',
    task.namespace,
  ];
}
