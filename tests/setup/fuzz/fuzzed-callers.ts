import { randomUUID } from 'node:crypto';
import { unwrap } from '@berth/client';
import { createHello } from '@berth/devstack/journey/hello-deployment';
import { connectBus } from '@berth/bus/connect-bus';
import { deploymentTokens } from '@berth/contracts/resources/deployments/deployment-tokens';
import { silentLog } from '@berth/testing/test-bus';
import { Client } from 'pg';
import type { Platform } from '../platform.ts';

/** The headers of each kind of caller, by name. */
type Callers = Record<string, Record<string, string>>;

export interface FuzzedPlatform {
  callers: Callers;
  /** The ids of callers by name; `nobody` has none. */
  ids: Record<string, string>;
  /** Texts that must not be in any answer. */
  secrets: readonly string[];
  /** Ids that requests must not name, because changing these rows would change the callers' rights. */
  spared: ReadonlySet<string>;
}

/** One caller of each kind, and rows that each of them can see. */
export async function fuzzedCallers({
  stack,
  admin,
  adminToken,
  sample: findSample,
}: Platform): Promise<FuzzedPlatform> {
  const sample = await findSample('fuzz');
  const env_id = sample.cluster.env_id ?? '';
  const { kind_id } = sample.registry;
  await using stop = new AsyncDisposableStack();
  const auth = new Client({ connectionString: stack.databaseUrls['auth'] });
  await auth.connect();
  stop.defer(() => auth.end());

  const callers: Callers = { nobody: {}, siteAdmin: { 'x-service-token': adminToken } };
  const me = unwrap(await admin.me.get());
  const ids: Record<string, string> = { siteAdmin: 'User' in me ? me.User.id : '' };

  const roles = {
    envAdmin: ['Admin'],
    envUser: ['User'],
    owner: ['User', 'Owner'],
    maintainer: ['User', 'Maintainer'],
    outsider: [],
    /** The callers whose rights requests may change. */
    bystander: ['User', 'Owner'],
  };
  for (const [name, [envRole, deploymentRole]] of Object.entries<readonly string[]>(roles)) {
    const { rows } = await auth.query<{ id: string }>(
      `insert into auth.users (issuer, subject, email, display_name, is_admin, is_active)
       values ('fuzz', $1, $1, $1, false, true) returning id`,
      [`${name}@example.test`],
    );
    const user_id = rows[0]?.id ?? '';
    if (name !== 'bystander') ids[name] = user_id;
    if (envRole) unwrap(await admin.envUserPermissions.create({ body: { env_id, user_id, role: envRole as 'User' } }));
    if (deploymentRole) {
      const role = deploymentRole as 'Owner';
      unwrap(await admin.deploymentPermissions.create({ body: { env_id, user_id, kind_id, role } }));
    }
    const { created_token } = unwrap(await admin.userTokens.create({ body: { user_id } }));
    if (name !== 'bystander') callers[name] = { 'x-service-token': created_token };
  }

  const bot = unwrap(await admin.bots.create({ body: { display_name: 'fuzz' } }));
  const { created_token } = unwrap(await admin.botTokens.create({ body: { bot_id: bot.id } }));
  callers['bot'] = { 'x-service-token': created_token };
  ids['bot'] = bot.id;

  const { id: deployment_id } = await createHello(admin, sample, 'fuzzing');
  await createHello(admin, sample, 'fuzzed');
  const bus = stop.use(
    await connectBus({
      servers: [stack.nats.url],
      caller: 'cluster-sync',
      password: stack.nats.passwords['cluster-sync'],
      log: silentLog,
    }),
  );
  const { access_token } = await bus.call(deploymentTokens.operations.issue, { body: { deployment_id, env_id } });
  callers['deployment'] = { authorization: `Bearer ${access_token}` };
  ids['deployment'] = deployment_id;

  const canary = `canary-${randomUUID()}`;
  unwrap(await admin.secrets.create({ body: { env_id, collection: 'fuzz', name: 'canary', contents: canary } }));
  const credentials = Object.values(callers).flatMap((headers) => Object.values(headers));
  const secretParts = credentials.map((text) => text.split('.').at(-1) ?? text);
  return {
    callers,
    ids,
    spared: new Set(Object.values(ids)),
    secrets: [canary, ...secretParts, ...Object.values(stack.nats.passwords)],
  };
}
