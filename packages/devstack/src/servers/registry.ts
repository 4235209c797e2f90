import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rememberedPorts, rememberedSecrets, writePrivately } from './remembered.ts';
import { type RunningServer, type ServerStart, startServerProcess } from './server-process.ts';

export interface RegistryStart extends ServerStart {
  /** The `registry` program of the distribution project. */
  readonly program: string;
  /** The endpoint that is notified of each push, and its `Authorization`. Failed notifications are retried. */
  readonly notify?: { readonly url: string; readonly authorization: string };
}

export interface RegistryServer extends RunningServer {
  /** Host and port, as in `oci://<address>/charts`; plain HTTP. */
  readonly address: string;
  readonly url: string;
  readonly port: number;
}

/** Starts an OCI registry. A restart on the same state folder has the same address and content. */
export async function startRegistry({
  stateFolder,
  program,
  notify,
  guard,
  signal,
}: RegistryStart): Promise<RegistryServer> {
  const folder = join(stateFolder, 'registry');
  const contentFolder = join(folder, 'content');
  await mkdir(contentFolder, { recursive: true, mode: 0o700 });
  const { registry: port } = await rememberedPorts(join(folder, 'ports.json'), ['registry']);
  const { uploads: secret } = await rememberedSecrets(join(folder, 'secrets.json'), ['uploads']);
  const address = `127.0.0.1:${port}`;
  const configFile = join(folder, 'registry.yml');
  await writePrivately(configFile, JSON.stringify(registryConfig({ address, secret, contentFolder, notify }), null, 2));

  const server = await startServerProcess({
    name: 'registry',
    command: [program, 'serve', configFile],
    // Off, because it would send traces to a missing collector and log each failure.
    env: { OTEL_TRACES_EXPORTER: 'none' },
    logFile: join(folder, 'registry.log'),
    guard,
    signal,
    isReady: async (probe) => (await fetch(`http://${address}/v2/`, { signal: probe })).ok,
  });
  return { ...server, address, url: `http://${address}`, port };
}

interface RegistrySettings {
  readonly address: string;
  readonly secret: string;
  readonly contentFolder: string;
  readonly notify: RegistryStart['notify'];
}

/** The registry reads YAML, of which JSON is a subset. */
const registryConfig = ({ address, secret, contentFolder, notify }: RegistrySettings) => ({
  version: '0.1',
  log: { level: 'warn', accesslog: { disabled: true } },
  storage: { filesystem: { rootdirectory: contentFolder }, delete: { enabled: true } },
  http: { addr: address, secret },
  notifications: {
    endpoints: notify
      ? [
          {
            name: 'berth',
            url: notify.url,
            headers: { Authorization: [notify.authorization] },
            timeout: '5s',
            threshold: 5,
            backoff: '2s',
          },
        ]
      : [],
  },
});
