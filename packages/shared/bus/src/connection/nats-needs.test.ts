import { setTimeout as sleep } from 'node:timers/promises';
import { callerNames, type CallerName } from '@berth/contracts/definition/contract';
import { connectTestBus } from '@berth/testing/test-bus';
import { startTestNats, type TestNats } from '@berth/testing/test-nats';
import { resources } from '@berth/contracts/resources/index';
import { describe, expect, test } from 'vitest';
import { natsPermissions } from '../accounts/permissions.ts';

type Config = Record<string, unknown>;
interface Permissions {
  readonly publish: { readonly allow: string[] };
  readonly subscribe: { readonly allow: string[] };
}

/** The first sentence with which a service refuses this NATS; undefined if it starts. */
async function refusal(nats: TestNats, caller: CallerName, options: object = {}): Promise<string | undefined> {
  try {
    await using _ = await connectTestBus(nats, caller, options);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const without = (config: Config, key: string): Config =>
  Object.fromEntries(Object.entries(config).filter(([name]) => name !== key));

test('no part starts where large messages do not fit, such as on a NATS with the usual max_payload', async () => {
  await using nats = await startTestNats({ adjust: (config) => without(config, 'max_payload') });

  for (const caller of callerNames) {
    expect(await refusal(nats, caller)).toContain(
      'NatsUnusable: NATS takes messages of at most 1 MiB, and Berth sends up to 4 MiB: set max_payload: 4MB; docs/nats.md',
    );
  }
});

test('a service that owns rows does not start without JetStream, and says so', async () => {
  await using nats = await startTestNats({
    adjust: (config) => {
      const { accounts, ...rest } = without(config, 'jetstream') as { accounts: Record<string, Config> };
      return {
        ...rest,
        accounts: Object.fromEntries(Object.entries(accounts).map(([name, one]) => [name, without(one, 'jetstream')])),
      };
    },
  });

  expect(await refusal(nats, 'tasks')).toContain('JetStream is off in NATS: set jetstream');
  expect(await refusal(nats, 'runner')).toBeUndefined();
});

test('a service does not start if JetStream is off for the account of its stream', async () => {
  await using nats = await startTestNats({
    adjust: (config) => {
      const { accounts } = config as { accounts: Record<string, Config> };
      return { ...config, accounts: { ...accounts, STATE_tasks: without(accounts['STATE_tasks'] ?? {}, 'jetstream') } };
    },
  });

  expect(await refusal(nats, 'tasks')).toContain('JetStream is off for the account STATE_tasks');
  expect(await refusal(nats, 'auth')).toBeUndefined();
});

test('a service does not start if its stream does not fit on the disk of NATS, or in the limits of its account', async () => {
  const small = { max_file_store: 100 * 1024 * 1024, max_memory_store: 1024 };
  await using disk = await startTestNats({
    adjust: (config) => ({ ...config, jetstream: { ...(config['jetstream'] as Config), ...small } }),
  });
  await using account = await startTestNats({
    adjust: (config) => {
      const { accounts } = config as { accounts: Record<string, Config> };
      const limited = { jetstream: { max_file: 1024 * 1024, max_memory: 1024 } };
      return { ...config, accounts: { ...accounts, STATE_tasks: { ...accounts['STATE_tasks'], ...limited } } };
    },
  });

  for (const nats of [disk, account]) {
    expect(await refusal(nats, 'tasks')).toContain(
      'NATS has no room for the stream STATE_tasks of 256 MiB: raise max_file_store',
    );
  }
  expect(await refusal(disk, 'tasks', { stateBytes: 1024 * 1024 })).toBeUndefined();
});

test('a service does not start if one server cannot hold the copies that are set', async () => {
  await using nats = await startTestNats();

  expect(await refusal(nats, 'tasks', { replicas: 3 })).toContain(
    'NATS has one server, and NATS_REPLICAS asks for 3 copies',
  );
});

test('a service that has the wrong password does not start, and names the user', async () => {
  await using nats = await startTestNats();

  expect(await refusal(nats, 'tasks', { password: 'wrong' })).toContain(
    'NATS refuses the user tasks: NATS_PASSWORD differs',
  );
});

test('all parts start on a NATS as its official chart configures it, with the lines of docs/nats.md', async () => {
  // What the chart renders with `jetstream.enabled`, but for folders and ports.
  const official = { lame_duck_grace_period: '10s', lame_duck_duration: '30s', server_name: 'nats-0' };
  await using bare = await startTestNats({
    adjust: ({ host, port, jetstream, accounts }) => ({
      host,
      port,
      ...official,
      jetstream: { store_dir: (jetstream as Config)['store_dir'], max_memory_store: 0, max_file_store: 10 * 1024 ** 3 },
      accounts,
    }),
  });
  await using with4 = await startTestNats({
    adjust: ({ host, port, jetstream, accounts }) => ({
      host,
      port,
      ...official,
      max_payload: 4 * 1024 ** 2,
      jetstream: { store_dir: (jetstream as Config)['store_dir'], max_memory_store: 0, max_file_store: 10 * 1024 ** 3 },
      accounts,
    }),
  });

  expect(await refusal(bare, 'api-gateway')).toContain('set max_payload: 4MB');
  for (const caller of callerNames) expect(await refusal(with4, caller)).toBeUndefined();
});

describe('a part whose NATS has the permissions of an earlier version', () => {
  /** The accounts of a version whose `tasks` did not know this operation. */
  const earlier = (config: Config): Config => {
    const { accounts } = config as { accounts: { BUS: { users: { user: string; permissions: Permissions }[] } } };
    const users = accounts.BUS.users.map((user) => {
      if (user.user !== 'tasks') return user;
      const { publish, subscribe } = user.permissions;
      const knows = (subject: string) => !subject.endsWith('identities.current');
      return {
        ...user,
        permissions: {
          publish: { allow: publish.allow.filter(knows) },
          subscribe: { allow: subscribe.allow.filter(knows) },
        },
      };
    });
    return { ...config, accounts: { ...accounts, BUS: { ...accounts.BUS, users } } };
  };

  test('does not start, and names the subject', async () => {
    await using nats = await startTestNats({ adjust: earlier });

    expect(await refusal(nats, 'tasks', { patienceMs: 0 })).toContain(
      'NATS does not let tasks publish to rpc.v1.auth.tasks.identities.current: its accounts are of another version',
    );
    expect(await refusal(nats, 'auth', { patienceMs: 0 })).toBeUndefined();
  });

  test.for<[string, (nats: TestNats) => Promise<void>]>([
    ['is reloaded', async (nats) => void process.kill(nats.pid(), 'SIGHUP')],
    ['is restarted', (nats) => nats.stop().then(nats.start)],
  ])('starts as soon as NATS %s with those of its own version', async ([, renew]) => {
    let isEarlier = true;
    await using nats = await startTestNats({ adjust: (config) => (isEarlier ? earlier(config) : config) });
    let hasStarted = false;
    const start = connectTestBus(nats, 'tasks').then((bus) => {
      hasStarted = true;
      return bus;
    });
    await sleep(1_000);
    expect(hasStarted).toBe(false);

    isEarlier = false;
    await nats.configure();
    await renew(nats);

    await using bus = await start;
    expect(bus.isConnected()).toBe(true);
    expect(bus.failure.aborted).toBe(false);
  });

  test('of an earlier version starts on the permissions of a later one', async () => {
    const all = natsPermissions(resources).tasks.publish.allow.length;
    const fewer = resources.filter(({ name }) => name !== 'identities');
    expect(natsPermissions(fewer).tasks.publish.allow.length).toBeLessThan(all);
    await using nats = await startTestNats();

    expect(await refusal(nats, 'tasks', { resources: fewer, patienceMs: 0 })).toBeUndefined();
  });
});
