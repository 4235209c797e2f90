import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { atOnce } from './at-once.ts';
import { knownSeconds } from './slowest-files.ts';

/** The assumed duration, in seconds, of a file that has never run. */
const usually = 2;

/**
 * Starts the longest files first, with only as many platforms in parallel as a small machine can carry; files of the other
 * project fill the rest. Vitest starts files in the order of the list as workers become free, so the order is planned from their
 * durations.
 */
export class Interleaved extends BaseSequencer {
  private readonly seconds = knownSeconds(this.ctx.config.root);

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = (await super.sort(files)).toSorted((a, b) => this.secondsOf(b) - this.secondsOf(a));
    const isPlatform = ({ project }: TestSpecification) => project.name === 'platform';
    return this.plan(
      longestFirst.filter(isPlatform),
      longestFirst.filter((file) => !isPlatform(file)),
    );
  }

  private plan(platforms: TestSpecification[], others: TestSpecification[]): TestSpecification[] {
    const planned: TestSpecification[] = [];
    const running: { until: number; file: TestSpecification }[] = [];
    for (let now = 0; platforms.length + others.length > 0; ) {
      const held = running.filter(({ file, until }) => until > now && file.project.name === 'platform').length;
      const file =
        held < atOnce.platforms && platforms.length > 0 ? platforms.shift() : (others.shift() ?? platforms.shift());
      if (!file) break;
      planned.push(file);
      running.push({ until: now + this.secondsOf(file), file });
      const busy = running.filter(({ until }) => until > now);
      if (busy.length >= atOnce.files) now = Math.min(...busy.map(({ until }) => until));
    }
    return planned;
  }

  private secondsOf({ moduleId }: TestSpecification): number {
    return this.seconds[moduleId.slice(this.ctx.config.root.length + 1)] ?? usually;
  }
}
