import { outputLimits } from './helm-limits.ts';

/** How the runtime of Go ends; the stacks of its goroutines follow. */
const crash = /^(?:fatal error|panic): /;
const refusedMemory = /^fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)/;
const goFatal = 2;

export interface ErrorLines {
  readonly lines: readonly string[];
  /** Whether the line is for the log, too: the stack of a crash is not. */
  add(line: string): boolean;
  /** Whether Helm ended because the kernel gave it no more memory. The words of a chart come with exit code 1. */
  wasOutOfMemory(code: number | null): boolean;
}

/** The last lines of Helm's standard error, as `shown` makes them fit to be read. They say why it ended. */
export function createErrorLines(shown: (line: string) => readonly string[]): ErrorLines {
  const lines: string[] = [];
  let crashed: string | undefined;
  return {
    lines,
    add(line) {
      if (crashed !== undefined) return false;
      if (crash.test(line)) crashed = line;
      lines.push(...shown(line));
      if (lines.length > outputLimits.errorLines) lines.splice(0, lines.length - outputLimits.errorLines);
      return true;
    },
    wasOutOfMemory: (code) => code === goFatal && crashed !== undefined && refusedMemory.test(crashed),
  };
}
