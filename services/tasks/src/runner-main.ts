import { hostname } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@berth/shared/bus/connect-bus';
import { startProcessGuard } from '@berth/shared/process-guard/process-guard';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { createChartCache } from './runner/chart-cache.ts';
import { createClusterClients } from './runner/cluster-clients.ts';
import { RunnerConfig } from './runner/runner-config.ts';
import { takeTasks } from './runner/take-tasks.ts';
import { sweepTaskFolders } from './runner/task-folder.ts';

await runService('runner', async ({ log, metrics, use, loop, signal }) => {
  const config = readConfig(RunnerConfig, process.env);
  const folders = { tasks: join(config.folder, 'tasks'), discovery: join(config.folder, 'discovery') };
  await sweepTaskFolders(folders.tasks);

  const guard = startProcessGuard();
  use({ [Symbol.asyncDispose]: () => guard.close() });
  const bus = use(
    await connectBus({ url: config.natsUrl, caller: 'runner', password: config.natsPassword, log, metrics, signal }),
  );

  loop(
    'take tasks',
    takeTasks({
      bus,
      log,
      guard,
      folders,
      clusters: createClusterClients({ bus }),
      charts: createChartCache({ bus, folder: join(config.folder, 'charts') }),
      helmBinary: config.helmBinary,
      concurrency: config.concurrency,
      name: config.name ?? `${hostname()}-${process.pid}`,
    }),
  );
});
