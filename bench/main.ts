import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@berth/devstack';
import { auditExport } from './audit-export.ts';
import { measureClusters } from './clusters/measure-clusters.ts';
import { concurrency, deployMany } from './deploy-many.ts';
import { eventLatency } from './events.ts';
import { fixturesOf } from './fixtures.ts';
import { flood } from './flood.ts';
import { gatewayRead } from './gateway-read.ts';
import { identityLeases } from './identity-leases.ts';
import { loopDelay } from './loop-delay.ts';
import { planChanges } from './plan-changes.ts';
import { startPolledServer } from './polls/polled-server.ts';
import { statusPolls } from './polls/status-polls.ts';
import { readTable } from './read-table.ts';
import { recordExamples } from './record-examples.ts';
import { schemathesis } from './schemathesis.ts';
import { startLatency } from './start-latency.ts';
import { claimThroughput } from './tasks/claim-throughput.ts';
import { dueAtOnce } from './tasks/due-at-once.ts';
import { oldTasks } from './tasks/old-tasks.ts';
import { taskReads } from './tasks/task-reads.ts';

await using polled = await startPolledServer();
const measurements = {
  read: gatewayRead,
  flood,
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
/** They take long, so they have to be chosen by name. */
const longMeasurements = {
  export: auditExport,
  table: readTable,
  'deploy-1000': deployMany(1_000),
  examples: recordExamples,
  schemathesis,
};
const all = { ...measurements, ...longMeasurements };

const say = (line: string) => process.stdout.write(`${line}\n`);
const chosen = process.argv.slice(2);

// It needs no platform, only the service.
if (chosen[0] === 'clusters') await measureClusters(chosen.slice(1), say);
else await measurePlatform();

/** With `BENCH_PROFILES=/some/folder` these services write a profile of their CPU there when they stop. */
function profiled(service: string): Record<string, string> {
  const folder = process.env['BENCH_PROFILES'];
  return folder ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}/${service}` } : {};
}

async function measurePlatform(): Promise<void> {
  const unknown = chosen.filter((name) => !(name in all));
  if (unknown.length > 0)
    throw new Error(`unknown measurement ${unknown.join(', ')}; known are ${Object.keys(all).join(', ')}`);

  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());

  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  try {
    say('starting a platform of its own for the measurements');
    const stack = await startStack({
      stateFolder,
      env: process.env,
      log: say,
      signal: stopping.signal,
      // Measurements are floods of one identity.
      overrides: {
        'api-gateway': {
          REQUESTS_PER_MINUTE: '0',
          ANONYMOUS_REQUESTS_PER_MINUTE: '0',
          ...profiled('api-gateway'),
        },
        auth: profiled('auth'),
        tasks: profiled('tasks'),
        runner: {
          RUNNER_CONCURRENCY: String(concurrency),
          // As in its image.
          NODE_OPTIONS: '--max-semi-space-size=8',
          ...polled.runnerSettings,
        },
      },
    });
    try {
      const fixtures = await fixturesOf(stack, stopping.signal);
      const names = chosen.length > 0 ? chosen : Object.keys(measurements);
      for (const [name, measure] of Object.entries(all)) if (names.includes(name)) await measure(stack, fixtures, say);
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(stateFolder, { recursive: true, force: true });
  }
}
