import { outputLimits } from './helm-limits.ts';

/** The first line of a crash of Go; the stacks of its goroutines follow. */
const crash = /^(?:fatal error|panic): /;
const refusedMemory = /^fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)/;
const goFatal = 2;

/** A hint of `helm template` at its own options, which users of Berth cannot set. */
const hint = 'Use --debug flag to render out invalid YAML';

export interface ErrorLines {
  readonly lines: readonly string[];
  /** Adds a line. Returns whether it belongs in the log, unlike the stack of a crash and hints at options of Helm. */
  add(line: string): boolean;
  /** Whether Helm ended because the kernel refused more memory. A chart that prints the same message ends with exit code 1. */
  wasOutOfMemory(code: number | null): boolean;
}

/** Keeps the last lines of Helm's standard error, which explain why it ended; `shown` redacts them. */
export function createErrorLines(shown: (line: string) => readonly string[]): ErrorLines {
  const lines: string[] = [];
  let crashed: string | undefined;
  return {
    lines,
    add(line) {
      if (crashed !== undefined || line === hint) return false;
      if (crash.test(line)) crashed = line;
      lines.push(...shown(line));
      if (lines.length > outputLimits.errorLines) lines.splice(0, lines.length - outputLimits.errorLines);
      return true;
    },
    wasOutOfMemory: (code) => code === goFatal && crashed !== undefined && refusedMemory.test(crashed),
  };
}
