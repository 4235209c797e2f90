import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import type { HelmFiles } from '../helm/helm-arguments.ts';
import { templateArguments } from '../helm/helm-arguments.ts';
import { explainExit } from '../helm/explain-exit.ts';
import type { HelmStarter } from '../helm/helm-starter.ts';
import { logTexts } from '../log/log-texts.ts';
import { permanent, TaskFailure } from '../outcome/task-failure.ts';

/** Helm can record one megabyte, compressed. */
const maxBytes = 4 * 1024 * 1024;
const keptErrorLines = 100;
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
  const errors: string[] = [];
  const chunks: Buffer[] = [];
  let bytes = 0;
  const helm = deps.helm.start({
    args: templateArguments(dryRun, files, { isUpgrade }),
    folder,
    discoveryCache,
    deadlineMs,
    onLine: (_, line) => {
      errors.push(...logTexts(line, secrets));
      if (errors.length > keptErrorLines) errors.splice(0, errors.length - keptErrorLines);
    },
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
    if (bytes > maxBytes) throw permanent(`The chart renders more than ${maxBytes / 1024 / 1024} MiB of manifests`);
    if (exit.code === 0) return Buffer.concat(chunks).toString('utf8');
    const { reason, kind } = explainExit(exit, errors);
    throw new TaskFailure(reason, { kind });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
