import { connectBus } from '@berth/shared/bus/connect-bus';
import { implement } from '@berth/shared/bus/implement';
import { resources } from '@berth/shared/contracts/index';
import { server } from '@berth/shared/contracts/server';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { authenticateBy } from './authentication/authenticate.ts';
import { Config } from './config.ts';
import { createHttpServer } from './http/create-http-server.ts';
import { documentationRoutes } from './routes/documentation-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { routesFromContracts } from './routes/routes-from-contracts.ts';
import { taskLogRoute } from './routes/task-log-route.ts';

await runService('api-gateway', async ({ log, metrics, use, signal }) => {
  const config = readConfig(Config, process.env);
  const bus = use(
    await connectBus({
      url: config.natsUrl,
      caller: 'api-gateway',
      password: config.natsPassword,
      log,
      metrics,
      signal,
    }),
  );
  bus.serve(implement(server, { get: async () => ({ version: config.version }) }));
  const authenticate = authenticateBy({ bus });

  const app = createHttpServer({ log });
  healthRoutes(app, bus);
  documentationRoutes(app, { resources, version: config.version, ownUrl: config.ownUrl });
  routesFromContracts(app, resources, { bus, authenticate });
  taskLogRoute(app, { bus, authenticate, stopping: signal });

  await app.listen({ host: config.host, port: config.port });
  use({ [Symbol.asyncDispose]: () => app.close() });
});
