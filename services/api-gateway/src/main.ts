import { connectBus } from '@berth/bus/connect-bus';
import { implement } from '@berth/bus/rpc/implement';
import { server } from '@berth/contracts/resources/gateway/server';
import { every } from '@berth/service/loop';
import { readConfig } from '@berth/service/read-config';
import { runService } from '@berth/service/run-service';
import { createLeasedIdentities } from './authentication/leases/leased-identities.ts';
import { Config } from './config.ts';
import { createGateway } from './create-gateway.ts';
import { closingGracefully } from './http/close-gracefully.ts';
import { readCertificate } from '@berth/service/tls/certificate-folder';
import { renewCertificate } from '@berth/service/tls/renew-certificate';

await runService('api-gateway', async ({ log, metrics, use, loop, signal }) => {
  const { host, port, bus: busSettings, tls, lingerMs, ...config } = readConfig(Config, process.env);
  const certificate = tls && (await readCertificate(tls.folder));
  const bus = use(await connectBus({ ...busSettings, caller: 'api-gateway', log, metrics, signal }));
  bus.serve(implement(server, { get: async () => ({ version: config.version }) }));

  const identities = use(createLeasedIdentities({ bus, metrics, leaseMs: config.identityLeaseMs }));
  bus.serve(identities.served);
  const app = await createGateway({
    ...config,
    identities,
    tls: certificate && { ...certificate, ...tls },
    bus,
    log,
    metrics,
    stopping: signal,
  });
  use(closingGracefully(app, { lingerMs }));
  if (tls && certificate)
    loop(
      'renew the certificate',
      every(60_000, renewCertificate(app, { folder: tls.folder, inUse: certificate, log })),
    );
  await app.listen({ host, port });
});
