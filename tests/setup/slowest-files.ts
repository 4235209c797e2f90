import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { z } from 'zod';

export interface FileTime {
  file: string;
  seconds: number;
  /** The time before the first test: imports, and hooks that start servers. */
  beforeFirst: number;
}

const most = 15;
const Seconds = z.record(z.string(), z.number());

const lastRun = (root: string) => join(root, '.berth', 'test-seconds.json');
const shipped = (root: string) => join(root, 'tests', 'setup', 'seconds.json');

/** The duration of each file in the last run of this checkout; a new checkout has those of the slow files. */
export function knownSeconds(root: string): Record<string, number> {
  return { ...secondsIn(shipped(root)), ...secondsIn(lastRun(root)) };
}

function secondsIn(file: string): Record<string, number> {
  try {
    return Seconds.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The durations only order the files; without them, a run takes longer.
    return {};
  }
}

export function slowestTable(took: readonly FileTime[], { most, minutes }: { most: number; minutes: number }): string {
  if (took.length === 0) return '';
  const rows = took
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, most)
    .map(({ file, seconds, beforeFirst }) => {
      const share = Math.round((100 * beforeFirst) / seconds);
      return `${seconds.toFixed(1).padStart(9)}  ${String(share).padStart(3)} %  ${file}\n`;
    });
  const head = `The slowest files, of ${minutes.toFixed(1)} minutes in all:\n  seconds  before the first test\n`;
  return `${head}${rows.join('')}`;
}

/** Prints the slowest files at the end of a run, and stores all durations to order the next run. */
export class SlowestFiles implements Reporter {
  private root = '';
  private startedAt = 0;
  private readonly took: FileTime[] = [];

  onInit({ config }: Vitest): void {
    this.root = config.root;
  }

  onTestRunStart(): void {
    this.startedAt = performance.now();
    this.took.length = 0;
  }

  onTestModuleEnd(module: TestModule): void {
    this.took.push(timeOf(module, Date.now()));
  }

  onTestRunEnd(): void {
    const minutes = (performance.now() - this.startedAt) / 60_000;
    process.stdout.write(`\n${slowestTable(this.took, { most, minutes })}`);
    const seconds = Object.fromEntries(this.took.map((each) => [each.file, Math.round(10 * each.seconds) / 10]));
    const file = lastRun(this.root);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...secondsIn(file), ...seconds }, null, 2));
  }
}

function timeOf(module: TestModule, now: number): FileTime {
  const all = module.diagnostic();
  const ms =
    all.environmentSetupDuration + all.prepareDuration + all.setupDuration + all.collectDuration + all.duration;
  const begun = [...module.children.allTests()].flatMap((each) => each.diagnostic()?.startTime ?? []);
  const sinceFirst = begun.length > 0 ? now - Math.min(...begun) : 0;
  return { file: module.relativeModuleId, seconds: ms / 1_000, beforeFirst: Math.max(0, ms - sinceFirst) / 1_000 };
}
