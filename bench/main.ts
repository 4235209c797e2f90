import { withOwnPlatform } from '@berth/devstack/testing/own-platform';
import { auditExport } from './export/audit-export.ts';
import { measureClusters } from './clusters/measure-clusters.ts';
import { measureRegistries } from './registries/measure-registries.ts';
import { measureCliStart } from './cli/cli-start.ts';
import { consoleInBrowser } from './console/console-in-browser.ts';
import { concurrency, deployMany } from './deploy/deploy-many.ts';
import { eventLatency } from './events/event-latency.ts';
import { flood } from './read/flood.ts';
import { gatewayRead } from './read/gateway-read.ts';
import { identityLeases } from './identity/identity-leases.ts';
import { loopDelay } from './delay/loop-delay.ts';
import { besideHostileCharts } from './deploy/beside-hostile-charts.ts';
import { besideWaiting } from './deploy/beside-waiting.ts';
import { noisyNeighbours } from './read/noisy-neighbours.ts';
import { planChanges } from './plans/plan-changes.ts';
import { startPolledServer } from './polls/polled-server.ts';
import { statusPolls } from './polls/status-polls.ts';
import { readTable } from './read/read-table.ts';
import { startLatency } from './deploy/start-latency.ts';
import { claimThroughput } from './claims/claim-throughput.ts';
import { dueAtOnce } from './claims/due-at-once.ts';
import { oldTasks } from './retention/old-tasks.ts';
import { taskReads } from './read/task-reads.ts';

await using polled = await startPolledServer();
const measurements = {
  read: gatewayRead,
  flood,
  'noisy-neighbours': noisyNeighbours,
  identity: identityLeases,
  events: eventLatency,
  latency: startLatency,
  deploy: deployMany(100),
  delay: loopDelay,
  plan: planChanges,
  reads: taskReads,
  claims: claimThroughput,
  due: dueAtOnce,
  retention: oldTasks,
  polls: statusPolls(polled),
};
/** Run only by name, because they take long. */
const longMeasurements = {
  export: auditExport,
  console: consoleInBrowser,
  table: readTable,
  'deploy-1000': deployMany(1_000),
  'hostile-charts': besideHostileCharts,
  waiting: besideWaiting,
};
const all = { ...measurements, ...longMeasurements };

const say = (line: string) => process.stdout.write(`${line}\n`);
const chosen = process.argv.slice(2);

// These need no platform.
if (chosen[0] === 'clusters') await measureClusters(chosen.slice(1), say);
else if (chosen[0] === 'cli') await measureCliStart(say);
else if (chosen[0] === 'registries') await measureRegistries(say);
else await measurePlatform();

/** With `BENCH_PROFILES=/some/folder`, these services write a CPU profile there when they stop. */
function profiled(service: string): Record<string, string> {
  const folder = process.env['BENCH_PROFILES'];
  return folder ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}/${service}` } : {};
}

async function measurePlatform(): Promise<void> {
  const unknown = chosen.filter((name) => !(name in all));
  if (unknown.length > 0)
    throw new Error(
      `unknown measurement ${unknown.join(', ')}; known are ${[...Object.keys(all), 'clusters', 'cli', 'registries'].join(', ')}`,
    );

  const overrides = {
    // No limit, because measurements send many requests as one identity.
    'api-gateway': {
      REQUESTS_PER_MINUTE: '0',
      ANONYMOUS_REQUESTS_PER_MINUTE: '0',
      ...profiled('api-gateway'),
    },
    auth: profiled('auth'),
    tasks: profiled('tasks'),
    runner: {
      RUNNER_CONCURRENCY: String(
        chosen.some((name) => name === 'hostile-charts' || name === 'waiting') ? 4 : concurrency,
      ),
      // The same as in the image.
      NODE_OPTIONS: '--max-semi-space-size=8',
      ...polled.runnerSettings,
    },
  };
  await withOwnPlatform({ name: 'bench', overrides, say }, async (stack, fixtures) => {
    const names = chosen.length > 0 ? chosen : Object.keys(measurements);
    for (const [name, measure] of Object.entries(all)) if (names.includes(name)) await measure(stack, fixtures, say);
  });
}
