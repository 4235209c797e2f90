import { every } from '@berth/service/loop';
import type { Loop, Service } from '@berth/service/service';
import type { DescribedRegistry } from '../connection/described-registry.ts';
import type { RegistryClient } from '../connection/registry-client.ts';
import type { OnRequest } from '../connection/registry-session.ts';
import type { CreatedRegistryRepository } from '../registries/created-registry-repository.ts';
import { type Allowances, type CreatedSettings, describeCreated } from '../registries/created-settings.ts';
import { type CredentialKeys, openCredentials, openPushToken } from '../registries/sealed-credentials.ts';
import { type ScannedRegistry, scannedRegistry } from '../scan/scanned-registry.ts';
import { type PollDeps, pollRegistry } from './poll-registry.ts';

export interface CreatedRegistriesDeps {
  repository: Pick<CreatedRegistryRepository, 'all' | 'sealed'>;
  allowances: Allowances;
  keys: CredentialKeys;
  /** Whether the configuration names the registry: it then finds the repository itself. */
  isConfigured: (domain: string) => boolean;
  onRequest: (domain: string) => OnRequest;
  log: Pick<Service['log'], 'warn'>;
}

interface Running {
  registry: ScannedRegistry;
  poll: Promise<void> | null;
  stop: AbortController;
}

/** The registries that site admins created. They come and go while the service runs. */
export interface CreatedRegistries extends AsyncDisposable {
  /** A new client; undefined if there is no created registry with this id. Throws if its settings are no longer allowed. */
  connect(id: string): Promise<RegistryClient | undefined>;
  find(domain: string, repository: string): ScannedRegistry | undefined;
  /** The registry that is scanned under this id; undefined if none is. */
  withId(id: string): ScannedRegistry | undefined;
  /** The token with which it sends its push events; null without one. */
  pushTokenOf(id: string): Promise<string | null>;
  pollAll(deps: PollDeps): Loop;
}

const tickMs = 1_000;

export function createCreatedRegistries(deps: CreatedRegistriesDeps): CreatedRegistries {
  const { repository, allowances, keys, isConfigured, log } = deps;
  const running = new Map<string, Running>();
  const refused = new Set<string>();

  const connect = (id: string, { source, connect: open }: DescribedRegistry): RegistryClient =>
    open({
      async readCredentials() {
        const sealed = (await repository.sealed(id))?.credentials ?? null;
        return sealed && openCredentials(keys, id, sealed);
      },
      onRequest: deps.onRequest(source.domain),
      only: source.repositories,
    });

  async function end({ registry, poll, stop }: Running): Promise<void> {
    stop.abort();
    await poll;
    registry.client[Symbol.dispose]();
  }

  /** Operators may since have forbidden what was allowed at the creation; null then. */
  function describeOrNull(id: string, settings: CreatedSettings): DescribedRegistry | null {
    try {
      return describeCreated(settings, allowances);
    } catch (error) {
      if (!refused.has(id)) log.warn({ err: error, registry: id }, 'a created registry is not scanned');
      refused.add(id);
      return null;
    }
  }

  /** Follows the rows: starts what is new, ends what is gone. */
  async function refresh(): Promise<void> {
    const rows = await repository.all();
    const current = new Set(rows.map(({ id }) => id));
    for (const [id, one] of running) {
      if (current.has(id)) continue;
      running.delete(id);
      await end(one);
    }
    for (const { id, settings } of rows) {
      if (running.has(id)) continue;
      const described = describeOrNull(id, settings);
      if (!described || isConfigured(described.source.domain)) continue;
      const registry = scannedRegistry(described.source, connect(id, described), { key: id, isCreated: true });
      running.set(id, { registry, poll: null, stop: new AbortController() });
    }
  }

  return {
    async connect(id) {
      const row = (await repository.all()).find((each) => each.id === id);
      return row && connect(id, describeCreated(row.settings, allowances));
    },

    find: (domain, name) =>
      [...running.values()].find(
        ({ registry: { source } }) => source.domain === domain && source.repositories?.[0] === name,
      )?.registry,

    withId: (id) => running.get(id)?.registry,

    async pushTokenOf(id) {
      // Strangers who guess an id cost no query.
      if (!running.has(id)) return null;
      const sealed = (await repository.sealed(id))?.pushToken ?? null;
      return sealed && openPushToken(keys, id, sealed);
    },

    pollAll: (poll) =>
      every(tickMs, async (signal) => {
        await refresh();
        for (const one of running.values()) {
          if (one.poll) continue;
          // Each at its own pace: a slow registry does not delay the others.
          one.poll = pollRegistry(
            poll,
            one.registry,
          )(AbortSignal.any([signal, one.stop.signal]))
            .catch((error: unknown) => {
              if (!signal.aborted)
                log.warn({ err: error, registry: one.registry.source.domain }, 'polling a registry failed');
            })
            .finally(() => (one.poll = null));
        }
      }),

    async [Symbol.asyncDispose]() {
      await Promise.all([...running.values()].map(end));
      running.clear();
    },
  };
}
