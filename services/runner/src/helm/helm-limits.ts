import type { ProcessLimits } from '@berth/process-guard/process-limits';

/**
 * The resources of one Helm, which renders templates that strangers wrote. Its duration is bounded by its deadlines and
 * `run-helm.ts`, its output by `outputLimits`.
 */
export interface HelmLimits {
  memoryBytes: number;
  /** For rendering. */
  cpuSecs: number;
}

export const mebibyte = 1024 * 1024;

/** Memory of the runner itself and its process guard. */
const ownBytes = 320 * mebibyte;

/** Memory of a runner whose Helms all reach their limit. */
export const memoryNeeded = ({ memoryBytes }: HelmLimits, slots: number): number => ownBytes + slots * memoryBytes;

export const outputLimits = {
  /** Characters of a line; the rest is cut off. */
  line: 64 * 1024,
  /** Up to this, output of a stream is logged. After that only the `end` is kept, since Helm's last lines explain why it ended. */
  logged: { bytes: 2 * mebibyte, lines: 20_000 },
  end: 16 * 1024,
  /** Bytes of the manifests that a plan compares. Helm can record one megabyte, compressed. */
  manifests: 4 * mebibyte,
  /** Bytes of the manifests that a deploy hands over before it applies them. */
  handedOver: 8 * mebibyte,
  /** Last lines of standard error, which give the reason of a failure. */
  errorLines: 100,
};

/** Helm polls a release while it waits, which takes some seconds of processor time in an hour. */
const cpuShareOfWait = 0.02;

export const limitsFor = ({ memoryBytes, cpuSecs }: HelmLimits, waitSecs: number): HelmLimits => ({
  memoryBytes,
  cpuSecs: Math.ceil(cpuSecs + cpuShareOfWait * waitSecs),
});

/**
 * Helm's own timeout applies to each thing it waits for, and not to a connection that answers nothing. After this time a Helm is long
 * overdue: hooks before, the wait, hooks after, and the rest. The access to the cluster has to last as long.
 */
export const longestMs = (timeoutSecs: number): number => 3 * timeoutSecs * 1_000 + 10 * 60_000;

/** Helm reserves this much writable memory that it never uses. */
const setAside = 64 * mebibyte;
/** The runner ends a busy Helm first, so that it knows the reason; the kernel does it if the runner is held up. */
const kernelWaitsSecs = 5;

export const kernelLimits = ({ memoryBytes, cpuSecs }: HelmLimits): ProcessLimits => ({
  memoryBytes: memoryBytes + setAside,
  cpuSecs: cpuSecs + kernelWaitsSecs,
});

/**
 * Helm lives for seconds: fewer garbage collections save a fifth of its work for 10 MB more. From two thirds of its memory on it
 * collects as usual, so that garbage does not make it exceed its limit.
 */
export const goSettings = ({ memoryBytes }: HelmLimits): Record<string, string> => ({
  GOGC: '400',
  GOMEMLIMIT: String(Math.floor((memoryBytes * 2) / 3)),
});
