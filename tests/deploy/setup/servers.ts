import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type OidcServer,
  type PostgresBinaries,
  type PostgresServer,
  type RegistryServer,
  type RunningServer,
  type ServerStart,
  type Stack,
  startNats,
  startOidc,
  startPostgres,
  startRegistry,
} from '@berth/devstack';
import { natsAccounts } from '@berth/bus/accounts/nats-accounts';
import { callerNames } from '@berth/contracts/definition/contract';
import { loginCallbackPath } from '@berth/contracts/resources/accounts/logins';
import { z } from 'zod';

const Passwords = z.record(z.enum(callerNames), z.string());

interface ServersStart extends ServerStart {
  readonly tools: Pick<Stack['tools'], 'nats-server' | 'registry'>;
  /** Addresses of the API for people and pods, and of the identity provider for pods. */
  readonly url: string;
  readonly address: string;
  readonly postgres?: PostgresBinaries | undefined;
}

/** The servers that Berth needs beside its cluster. */
export interface Servers extends AsyncDisposable {
  readonly postgres: Pick<PostgresServer, 'port' | 'adminUrl'>;
  readonly nats: { readonly port: number; readonly passwords: Readonly<Record<string, string>> };
  readonly registry: RegistryServer;
  readonly oidc: OidcServer;
  /** Replaces PostgreSQL and NATS by empty servers at the same addresses. */
  replaceStores(): Promise<void>;
}

export async function startServers(start: ServersStart): Promise<Servers> {
  const { stateFolder, guard, signal, tools, url, address } = start;
  const given = { stateFolder, guard, signal };
  const passwords = Passwords.parse(Object.fromEntries(callerNames.map((name) => [name, `of-${name}`])));
  const accounts = natsAccounts({ passwords });
  const newPostgres = () => startPostgres({ ...given, durable: false, binaries: start.postgres });
  const newNats = () => startNats({ ...given, program: tools['nats-server'], accounts });
  await using stack = new AsyncDisposableStack();
  const stopping = <S extends RunningServer>(server: S): S => {
    stack.defer(() => server.stop());
    return server;
  };

  const [postgres, nats, registry, oidc] = await Promise.all([
    newPostgres().then(stopping),
    newNats().then(stopping),
    startRegistry({ ...given, program: tools.registry }).then(stopping),
    startOidc({ ...given, clientId: 'berth', redirectUris: [`${url}${loginCallbackPath}`], host: address }).then(
      stopping,
    ),
  ]);
  const started = stack.move();
  const stores: RunningServer[] = [postgres, nats];
  return {
    postgres,
    nats: { port: nats.port, passwords },
    registry,
    oidc,
    async replaceStores() {
      for (const store of stores.splice(0)) await store.stop();
      await rm(join(stateFolder, 'postgres/data'), { recursive: true });
      await rm(nats.storeFolder, { recursive: true });
      // Both servers keep their ports and passwords.
      for (const begin of [newPostgres, newNats]) {
        const store = await begin();
        stores.push(store);
        started.defer(() => store.stop());
      }
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
