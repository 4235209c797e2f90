import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that the longest files take, most of them waiting: one that began last would run alone at the end. */
const seconds: Record<string, number> = {
  'tests/faults/servers.test.ts': 150,
  'tests/faults/runner.test.ts': 110,
  'tests/start-command.test.ts': 70,
  'services/tasks/test/runner-faults.test.ts': 58,
  'services/tasks/test/status-polls.test.ts': 50,
  'services/cluster-sync/test/kubernetes.test.ts': 47,
  'tests/bad-input.test.ts': 45,
  'packages/shared/src/bus/connection/outage.test.ts': 45,
  'services/api-gateway/test/outages.test.ts': 44,
  'services/tasks/test/runner-releases.test.ts': 44,
  'packages/devstack/src/servers/kubernetes/kubernetes.test.ts': 39,
  'services/cluster-sync/test/reflector.test.ts': 38,
  'services/tasks/test/leases.test.ts': 25,
  'services/tasks/test/requesting.test.ts': 22,
  'packages/process-guard/src/process-guard.test.ts': 21,
  'services/tasks/test/runner.test.ts': 21,
};

/** Within each project the longest files begin first; the others follow in the order of Vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const moved = Object.keys(seconds).filter((file) => !existsSync(join(this.ctx.config.root, file)));
    if (moved.length > 0) throw new Error(`longest-first.ts names files that do not exist: ${moved.join(', ')}`);
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((ofProject) =>
      ofProject.toSorted((a, b) => this.secondsOf(b) - this.secondsOf(a)),
    );
  }

  private secondsOf({ moduleId }: TestSpecification): number {
    return seconds[moduleId.slice(this.ctx.config.root.length + 1)] ?? 0;
  }
}
