import { connectBus } from '@berth/shared/bus/connect-bus';
import { implement } from '@berth/shared/bus/rpc/implement';
import { server } from '@berth/shared/contracts/resources/server';
import { every } from '@berth/shared/service/loop';
import { readConfig } from '@berth/shared/service/read-config';
import { runService } from '@berth/shared/service/run-service';
import { createLeasedIdentities } from './authentication/leases/leased-identities.ts';
import { Config } from './config.ts';
import { createGateway } from './create-gateway.ts';
import { closingGracefully } from './http/close-gracefully.ts';
import { readCertificate } from './http/tls/certificate-folder.ts';
import { renewCertificate } from './http/tls/renew-certificate.ts';

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
