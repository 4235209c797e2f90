import type { ProcessLimits } from '@berth/process-guard/process-limits';

/**
 * What one Helm may take: it renders templates that strangers wrote. Its end in time is up to its deadlines and to
 * `run-helm.ts`; what it prints is bounded by `outputLimits`.
 */
export interface HelmLimits {
  memoryBytes: number;
  /** For rendering. */
  cpuSecs: number;
}

export const mebibyte = 1024 * 1024;

/** What the runner takes itself, and its process guard. */
const ownBytes = 320 * mebibyte;

/** What a runner takes whose Helms all take what they may. */
export const memoryNeeded = ({ memoryBytes }: HelmLimits, places: number): number => ownBytes + places * memoryBytes;

export const outputLimits = {
  /** Characters of a line; the rest is cut off. */
  line: 64 * 1024,
  /** Of each stream this much becomes lines of the log. Of what follows only the end is kept: Helm's last lines say why it ended. */
  logged: { bytes: 2 * mebibyte, lines: 20_000 },
  end: 16 * 1024,
  /** Bytes of the manifests that a plan compares. Helm can record one megabyte, compressed. */
  manifests: 4 * mebibyte,
  /** Bytes of the manifests that a deploy hands over before it applies them. */
  handedOver: 8 * mebibyte,
  /** Lines of standard error, from which the reason of a failure is taken. */
  errorLines: 100,
};

/** A release that waits for an hour is looked at now and then, which takes Helm some seconds. */
const cpuShareOfWait = 0.02;

export const limitsFor = ({ memoryBytes, cpuSecs }: HelmLimits, waitSecs: number): HelmLimits => ({
  memoryBytes,
  cpuSecs: Math.ceil(cpuSecs + cpuShareOfWait * waitSecs),
});

/** Helm makes this much writable that it never writes. */
const setAside = 64 * mebibyte;
/** The runner ends a busy Helm itself, and knows why; the kernel does it where the runner is held up. */
const kernelWaitsSecs = 5;

export const kernelLimits = ({ memoryBytes, cpuSecs }: HelmLimits): ProcessLimits => ({
  memoryBytes: memoryBytes + setAside,
  cpuSecs: cpuSecs + kernelWaitsSecs,
});

/**
 * Helm lives for seconds: fewer garbage collections save a fifth of its work for 10 MB more. It collects as usual from two thirds of
 * its memory on, so that what it has not collected yet does not count as needed.
 */
export const goSettings = ({ memoryBytes }: HelmLimits): Record<string, string> => ({
  GOGC: '400',
  GOMEMLIMIT: String(Math.floor((memoryBytes * 2) / 3)),
});
