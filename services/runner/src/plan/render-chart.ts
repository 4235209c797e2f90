import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import type { HelmFiles } from '../helm/helm-arguments.ts';
import { templateArguments } from '../helm/helm-arguments.ts';
import { createErrorLines } from '../helm/error-lines.ts';
import { failureOf } from '../helm/explain-exit.ts';
import { mebibyte, outputLimits } from '../helm/helm-limits.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { logTexts } from '../log/log-texts.ts';
import { permanent } from '../outcome/task-failure.ts';

const maxBytes = outputLimits.manifests;
const graceMs = 1_000;

export interface RenderDeps {
  helm: HelmStarter;
  files: HelmFiles;
  folder: string;
  discoveryCache: string;
  isUpgrade: boolean;
  /** Redacted from the reason of a failure. */
  secrets: readonly string[];
  deadlineMs: number;
  signal: AbortSignal;
}

/** The rendered manifests of a chart. They hold Secrets in plain text and must not leave the comparison. */
export async function renderChart(dryRun: Pick<DryRun, 'namespace'>, deps: RenderDeps): Promise<string> {
  const { files, folder, discoveryCache, isUpgrade, secrets, deadlineMs, signal } = deps;
  signal.throwIfAborted();
  const errors = createErrorLines((line) => logTexts(line, secrets));
  const chunks: Buffer[] = [];
  let bytes = 0;
  const helm = deps.helm.start({
    args: templateArguments(dryRun, files, { isUpgrade }),
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
    if (exit.code === 0) return Buffer.concat(chunks).toString('utf8');
    throw failureOf(exit, errors, helm.limits);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
