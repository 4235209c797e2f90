import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { atOnce } from './at-once.ts';

/** Seconds that the longest files take, most of them waiting: one that began last would run alone at the end. */
const seconds: Record<string, number> = {
  'tests/faults/runner.test.ts': 180,
  'tests/faults/servers.test.ts': 175,
  'tests/start-command.test.ts': 140,
  'services/runner/test/releases.test.ts': 130,
  'services/runner/test/faults.test.ts': 120,
  'packages/chart/test/chart-on-a-cluster.test.ts': 108,
  'tests/bad-input.test.ts': 99,
  'tests/secrets.test.ts': 92,
  'tests/isolation.test.ts': 75,
  'services/cluster-sync/test/kubernetes.test.ts': 75,
  'packages/devstack/src/servers/kubernetes/kubernetes.test.ts': 52,
  'tests/fuzz.test.ts': 60,
  'services/tasks/test/simulation.test.ts': 51,
  'services/runner/test/waiting.test.ts': 46,
  'packages/shared/bus/src/connection/outage.test.ts': 45,
  'services/api-gateway/test/outages.test.ts': 44,
  'services/auth/test/revocation.test.ts': 44,
  'services/runner/test/plans.test.ts': 42,
  'services/tasks/test/storms.test.ts': 41,
  'services/cluster-sync/test/reflector.test.ts': 41,
  'services/tasks/test/list-plans.test.ts': 37,
  'services/tasks/test/status-polls.test.ts': 36,
  'services/runner/test/permissions.test.ts': 35,
  'services/cluster-sync/test/service-creds.test.ts': 32,
  'services/tasks/test/leases.test.ts': 30,
  'services/tasks/test/sizes.test.ts': 30,
  'services/runner/test/runner.test.ts': 29,
  'packages/chart/test/chart-values.test.ts': 28,
  'services/auth/test/list-plans.test.ts': 25,
  'services/tasks/test/requesting.test.ts': 24,
  'services/tasks/test/plans.test.ts': 24,
  'services/api-gateway/test/events.test.ts': 22,
  'packages/process-guard/src/process-guard.test.ts': 22,
};
const usually = 4;

/**
 * The longest files begin first, and no more platforms run side by side than a small machine can carry: the files of the other
 * project fill the rest. Files begin in the order of the list as workers become free, so the order is planned by how long each takes.
 */
export class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const moved = Object.keys(seconds).filter((file) => !existsSync(join(this.ctx.config.root, file)));
    if (moved.length > 0) throw new Error(`interleaved.ts names files that do not exist: ${moved.join(', ')}`);
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
    return seconds[moduleId.slice(this.ctx.config.root.length + 1)] ?? usually;
  }
}
