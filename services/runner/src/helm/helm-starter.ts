import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ProcessGuard } from '@berth/process-guard/process-guard';
import { giveWay, ulimits } from '@berth/process-guard/process-limits';
import { proxyVariables } from '@berth/service/proxy/proxy-for';
import { Duplex } from 'node:stream';
import { Bug } from '@berth/contracts/errors';
import { createHandOver, type HandOver, type OnRendered } from './hand-over.ts';
import { goSettings, type HelmLimits, kernelLimits, limitsFor } from './helm-limits.ts';
import { exitOf, type HelmProcess, superviseHelm } from './helm-process.ts';
import { splitLines } from './split-lines.ts';

interface HelmRun {
  /** Never a secret: other users can read a process's arguments. No line breaks. */
  args: readonly string[];
  /** Home and working directory; private to this run. */
  folder: string;
  /** Discovery cache shared by all runs against one cluster. */
  discoveryCache: string;
  /** The guard ends Helm after this time unless `extend` moves it, even while this process is paused. */
  deadlineMs: number;
  /** How long Helm may wait for the release, in seconds; waiting takes some processor time. */
  waitSecs: number;
  onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  /** With `handOverArguments`: receives the manifests before Helm applies them, and may give others. If it throws, Helm fails without applying anything. */
  onRendered?: OnRendered;
  /** Receives the number of bytes that were skipped. */
  onSkipped?: (stream: 'stdout' | 'stderr', bytes: number) => void;
  /** Receives raw standard output, which `onLine` then does not get. */
  onOutput?: (chunk: Buffer) => void;
}

export interface HelmStarter extends Disposable {
  readonly limits: HelmLimits;
  /** Starts Helm in a process group of its own, without the runner's environment. */
  start(run: HelmRun): HelmProcess;
}

/**
 * The shell reads the command and becomes Helm at `go`; at the end of its input it exits. So the guard knows the process before
 * Helm runs in it: if the runner were killed between start and registration, nothing would ever end Helm.
 */
const becomeHelm = `
while IFS= read -r line; do
  case "$line" in
    'cd '*) cd "\${line#cd }" || exit 126 ;;
    'limit '*) ulimit \${line#limit } 2>/dev/null ;;
    'env '*) export "\${line#env }" ;;
    'arg '*) set -- "$@" "\${line#arg }" ;;
    go) exec "$@" </dev/null ;;
  esac
done`;

export interface HelmStarterDeps {
  binary: string;
  guard: ProcessGuard;
  limits: HelmLimits;
  /** A file of certificates to trust for clusters whose kubeconfig has no authority, beside those in the folders of the system. */
  authorities?: string | undefined;
}

/**
 * Keeps a spare shell ready. Without it: each task waits some milliseconds for the fork of this large process.
 */
export function createHelmStarter({ binary, guard, limits, authorities }: HelmStarterDeps): HelmStarter {
  let closed = false;
  let spare: ChildProcessWithoutNullStreams | undefined = newShell(guard);

  function take(): ChildProcessWithoutNullStreams {
    const taken = spare && isAlive(spare) ? spare : newShell(guard);
    spare = undefined;
    setImmediate(() => {
      if (!closed && !guard.failure.aborted) spare ??= newShell(guard);
    });
    return taken;
  }

  return {
    limits,
    start(run) {
      const mine = limitsFor(limits, run.waitSecs);
      const handOver = createHandOver(run.onRendered ?? (async () => null));
      const lines = shellInput(binary, run, { limits: mine, authorities, ...handOver });
      const child = take();
      handOver.over(socketOf(child));
      const exited = exitOf(child);
      const linesOf = (stream: 'stdout' | 'stderr') =>
        splitLines(
          child[stream],
          (line) => run.onLine(stream, line),
          (bytes) => run.onSkipped?.(stream, bytes),
        );
      if (run.onOutput) child.stdout.on('data', run.onOutput).on('error', () => undefined);
      else linesOf('stdout');
      linesOf('stderr');
      return superviseHelm(child, {
        exited,
        guard,
        lines,
        limits: mine,
        refusal: handOver.refusal,
        deadlineMs: run.deadlineMs,
      });
    },
    [Symbol.dispose]() {
      closed = true;
      spare?.stdin.end();
    },
  };
}

function newShell(guard: ProcessGuard): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', becomeHelm], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...guard.environment },
  });
  // Reported by `exitOf`, too.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  if (child.pid !== undefined) giveWay(child.pid);
  return child;
}

/** The socket on which Helm hands over what it has rendered. */
function socketOf(child: ChildProcess): Duplex {
  const socket = child.stdio[3];
  if (!(socket instanceof Duplex)) throw new Bug('the shell of Helm was started without a socket');
  return socket;
}

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null;

function shellInput(
  binary: string,
  { args, folder, discoveryCache }: HelmRun,
  {
    limits,
    authorities,
    environment: ofHandOver,
  }: Pick<HandOver, 'environment'> & Omit<HelmStarterDeps, 'binary' | 'guard'>,
): string {
  const environment = {
    HOME: folder,
    ...ofHandOver,
    HELM_CACHE_HOME: `${folder}/cache`,
    HELM_CONFIG_HOME: `${folder}/config`,
    HELM_DATA_HOME: `${folder}/data`,
    HELM_BURST_LIMIT: '200',
    HELM_QPS: '100',
    KUBECACHEDIR: discoveryCache,
    // All of these go through the standard input of the shell, since arguments are visible to others.
    ...proxyVariables(),
    ...(authorities && { SSL_CERT_FILE: authorities }),
    ...goSettings(limits),
  };
  const lines = [
    `cd ${folder}`,
    ...ulimits(kernelLimits(limits)).map((limit) => `limit ${limit}`),
    ...Object.entries(environment).map(([name, value]) => `env ${name}=${value}`),
    ...[binary, ...args].map((arg) => `arg ${arg}`),
    'go',
  ];
  if (lines.some((line) => /[\n\0]/.test(line))) throw new Bug('an argument of Helm contains a line break');
  return `${lines.join('\n')}\n`;
}
