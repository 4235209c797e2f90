import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { connectBus } from '@berth/bus/connect-bus';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { readConfig } from '@berth/service/read-config';
import { runService } from '@berth/service/run-service';
import { createHelmStarter } from './helm/helm-starter.ts';
import { createDeploymentClient } from './calls/deployment-client.ts';
import { openChartCache } from './files/chart-cache.ts';
import { createClusterEntry } from './cluster/cluster-entry.ts';
import { findHelm } from './helm/find-helm.ts';
import { mebibyte, memoryNeeded } from './helm/helm-limits.ts';
import { answerDryRuns } from './plan/answer-dry-runs.ts';
import { createPlanWork } from './plan/plan-work.ts';
import { callForResources } from './resources/call-for-resources.ts';
import { pollStatuses } from './status/poll-statuses.ts';
import { Config } from './config.ts';
import { createReadBudget } from './rollout/read-budget.ts';
import { createRunnerMetrics } from './metrics/runner-metrics.ts';
import { createChartSchemas } from './manifests/chart-schemas.ts';
import { createChartCrds } from './plan/chart-crds.ts';
import { claimTasks } from './run/claim-tasks.ts';
import { sweepTaskFolders } from './files/task-folder.ts';

await runService('runner', async ({ log, metrics, use, loop, signal }) => {
  const config = readConfig(Config, process.env);
  const binary = await findHelm(config.helmBinary, process.env['PATH']);
  const neededBytes = memoryNeeded(config.helm, config.concurrency + config.plans);
  if (neededBytes > (process.constrainedMemory() || Number.POSITIVE_INFINITY)) {
    log.warn({ needed_mib: neededBytes / mebibyte }, 'the runner has less memory than its Helms may take together');
  }
  const folders = { tasks: join(config.folder, 'tasks'), discovery: join(config.folder, 'discovery') };
  await sweepTaskFolders(folders.tasks);
  await mkdir(folders.discovery, { recursive: true, mode: 0o700 });

  const guard = startProcessGuard();
  use({ failure: guard.failure, [Symbol.asyncDispose]: () => guard.close() });
  const bus = use(await connectBus({ ...config.bus, caller: 'runner', log, metrics, signal }));

  const access = use(createClusterEntry({ bus }));
  const charts = await openChartCache({ bus, folder: join(config.folder, 'charts') });
  const helm = use(
    createHelmStarter({ binary, guard, limits: config.helm, authorities: process.env['NODE_EXTRA_CA_CERTS'] }),
  );
  const deployments = use(createDeploymentClient(config.calls));
  const work = use(createPlanWork());
  const crds = createChartCrds({ helm });
  const schemasAreLocal = createChartSchemas({ work });
  const deps = {
    bus,
    log,
    metrics: createRunnerMetrics(metrics),
    folders,
    access,
    charts,
    helm,
    deployments,
    work,
    crds,
    schemasAreLocal,
    reads: createReadBudget(),
    chartsWithLateHooks: new LRUCache<string, boolean>({ max: 1_000 }),
  };
  if (config.polls > 0) loop('poll statuses', pollStatuses({ ...deps, slots: config.polls }));
  if (config.plans > 0) loop('answer dry runs', answerDryRuns({ ...deps, slots: config.plans }));
  if (config.resourceCalls > 0) loop('call for resources', callForResources({ ...deps, slots: config.resourceCalls }));
  const name = config.name ?? `${hostname()}-${process.pid}`;
  loop('claim tasks', claimTasks({ ...deps, name, slots: config.concurrency, mostWaiting: config.waiting }));
});
