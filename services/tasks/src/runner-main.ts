import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@berth/shared/bus/connect-bus';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { createHelmStarter } from './helm/helm-starter.ts';
import { openChartCache } from './runner/chart-cache.ts';
import { createClusterClients } from './runner/cluster-clients.ts';
import { findHelm } from './runner/find-helm.ts';
import { RunnerConfig } from './runner/runner-config.ts';
import { createRunnerMetrics } from './runner/runner-metrics.ts';
import { takeTasks } from './runner/take-tasks.ts';
import { sweepTaskFolders } from './runner/task-folder.ts';

await runService('runner', async ({ log, metrics, use, loop, signal }) => {
  const config = readConfig(RunnerConfig, process.env);
  const binary = await findHelm(config.helmBinary, process.env['PATH']);
  const folders = { tasks: join(config.folder, 'tasks'), discovery: join(config.folder, 'discovery') };
  await sweepTaskFolders(folders.tasks);
  await mkdir(folders.discovery, { recursive: true, mode: 0o700 });

  const guard = startProcessGuard();
  use({ failure: guard.failure, [Symbol.asyncDispose]: () => guard.close() });
  const bus = use(await connectBus({ ...config.bus, caller: 'runner', log, metrics, signal }));

  loop(
    'take tasks',
    takeTasks({
      bus,
      log,
      folders,
      clusters: use(createClusterClients({ bus })),
      charts: await openChartCache({ bus, folder: join(config.folder, 'charts') }),
      metrics: createRunnerMetrics(metrics),
      helm: use(createHelmStarter({ binary, guard })),
      concurrency: config.concurrency,
      name: config.name ?? `${hostname()}-${process.pid}`,
    }),
  );
});
