import { connectBus } from '@berth/shared/bus/connect-bus';
import { implement } from '@berth/shared/bus/rpc/implement';
import { server } from '@berth/shared/contracts/resources/server';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { Config } from './config.ts';
import { createGateway } from './create-gateway.ts';
import { closingGracefully } from './http/close-gracefully.ts';

await runService('api-gateway', async ({ log, metrics, use, signal }) => {
  const { host, port, bus: busSettings, ...config } = readConfig(Config, process.env);
  const bus = use(await connectBus({ ...busSettings, caller: 'api-gateway', log, metrics, signal }));
  bus.serve(implement(server, { get: async () => ({ version: config.version }) }));

  const app = await createGateway({ ...config, bus, log, metrics, stopping: signal });
  use(closingGracefully(app));
  await app.listen({ host, port });
});
