import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import { type Capabilities, type HelmFiles, templateArguments } from '../helm/helm-arguments.ts';
import { createErrorLines } from '../helm/error-lines.ts';
import { failureOf } from '../helm/explain-exit.ts';
import { mebibyte, outputLimits } from '../helm/helm-limits.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { logTexts } from '../log/log-texts.ts';
import type { TextFinder } from '../log/text-finder.ts';
import { permanent } from '../outcome/task-failure.ts';

const maxBytes = outputLimits.manifests;
const graceMs = 1_000;

interface HelmOutputDeps {
  namespace: string;
  helm: HelmStarter;
  args: readonly string[];
  folder: string;
  discoveryCache: string;
  /** Redacted from the reason of a failure. */
  secrets: TextFinder;
  deadlineMs: number;
  signal: AbortSignal;
}

export interface RenderDeps extends Omit<HelmOutputDeps, 'args' | 'namespace'> {
  files: HelmFiles;
  isUpgrade: boolean;
  /** The cluster's capabilities, for a rendering that does not read its objects; null for one that does. */
  capabilities: Capabilities | null;
}

/** The rendered manifests of a chart. They hold Secrets in plain text and must not leave the comparison. */
export const renderChart = (
  dryRun: Pick<DryRun, 'namespace'>,
  { files, isUpgrade, capabilities, ...deps }: RenderDeps,
): Promise<string> =>
  outputOfHelm({
    ...deps,
    namespace: dryRun.namespace,
    args: templateArguments(dryRun, files, { isUpgrade, capabilities }),
  });

/** The output of a Helm command that does not change anything. */
export async function outputOfHelm(deps: HelmOutputDeps): Promise<string> {
  const { args, namespace, folder, discoveryCache, secrets, deadlineMs, signal } = deps;
  signal.throwIfAborted();
  const errors = createErrorLines((line) => logTexts(line, secrets));
  const chunks: Buffer[] = [];
  let bytes = 0;
  const helm = deps.helm.start({
    args,
    folder,
    discoveryCache,
    deadlineMs,
    waitSecs: 0,
    onLine: (_, line) => void errors.add(line),
    onOutput: (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) helm.stop(0);
      else chunks.push(chunk);
    },
  });
  const stop = () => helm.stop(graceMs);
  signal.addEventListener('abort', stop);
  try {
    const exit = await helm.exited;
    signal.throwIfAborted();
    if (bytes > maxBytes) throw permanent(`The chart renders more than ${maxBytes / mebibyte} MiB of manifests`);
    if (helm.refusal() !== undefined) throw helm.refusal();
    if (exit.code === 0) return Buffer.concat(chunks).toString('utf8');
    throw failureOf(exit, errors, { limits: helm.limits, namespace, isRepeated: true });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
