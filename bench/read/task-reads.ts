import { type Client as Api, createClient, unwrap } from '@berth/client';
import type { Stack } from '@berth/devstack';
import { signIn } from '@berth/devstack/journey/sign-in';
import type { Client } from 'pg';
import { databaseOf } from '../platform/database-of.ts';
import type { Fixtures } from '@berth/devstack/testing/own-platform';
import { loadOfMachine } from '../machine/load-of-machine.ts';
import { quantile } from '../machine/quantile.ts';
import { untilQuiet } from '../machine/until-quiet.ts';
import { inTurns, quantilesOf } from '../machine/in-turns.ts';
import { insertManyDeployments, targetOf, removeManyDeployments } from '../platform/many-deployments.ts';

const deployments = 10_000;
const tasksOfEach = 30;
const users = 20;
const rounds = 100;
const name = 'read-';

/**
 * The first page of tasks and the users of a secret, with few and with very many rows, compared with selects of the same rows.
 */
export async function taskReads(stack: Stack, fixtures: Fixtures, say: (line: string) => void): Promise<void> {
  say(`\n(f) reads with ${deployments} deployments and ${deployments * tasksOfEach} tasks; ${loadOfMachine()}`);
  const { api } = fixtures;
  const target = targetOf(fixtures);
  await using db = await databaseOf(stack);
  const member = await memberOf(stack, api, target.envId);
  try {
    await insertManyDeployments(db, target, { name: `${name}few-`, count: users, tasksOfEach });
    const secretId = await usedSecret(db, api, target.envId);
    const works = {
      'first page, site admin': () => readPage(api),
      'first page, member of the env': () => readPage(member),
      'a select of its rows': () => db.query(firstPage),
      'first page with its number of tasks, by hand': () => db.query(`${firstPage}; ${numberOfTasks}`),
      'who uses this secret': () => refusedDeletion(api, secretId),
      'a select of its users': () => db.query(usersOfSecret, [secretId]),
    };
    const few = await inTurns(rounds, works);
    await insertManyDeployments(db, target, { name: `${name}many-`, count: deployments - users, tasksOfEach });
    await untilQuiet(say);
    say(`    all rows are there; ${loadOfMachine()}`);
    const many = await inTurns(rounds, works);
    for (const what of Object.keys(works) as (keyof typeof works)[]) {
      const growth = quantile(many[what], 0.5) / quantile(few[what], 0.5);
      say(
        `    ${what.padEnd(46)} ${quantilesOf(many[what])}; ${growth.toFixed(2)} × its time with ${users} deployments`,
      );
    }
    const ratio = (what: keyof typeof works, floor: keyof typeof works) =>
      (quantile(many[what], 0.5) / quantile(many[floor], 0.5)).toFixed(1);
    say(
      `    first page ${ratio('first page, site admin', 'a select of its rows')} × the time of the select of its rows`,
    );
    say(
      `    who uses   ${ratio('who uses this secret', 'a select of its users')} × the time of the select of its users`,
    );
  } finally {
    await removeManyDeployments(db, name);
  }
}

const firstPage = `
  select id, created_at, execute_at, first_attempted_at, started_at, finished_at, cluster_id, deployment_id, acting_user_id,
    acting_deployment_id, canceled_by_user_id, canceled_by_deployment_id, operation, status, reason, attempts
  from deployment_tasks order by execute_at desc, id desc limit 50`;
const numberOfTasks = 'select count(*) from deployment_tasks';
const usersOfSecret = `
  select d.id, d.namespace from deployment_references r join deployments d on d.id = r.deployment_id
  where r.collection = 'secrets' and r.item_id = $1 and d.enabled order by d.namespace limit 10`;

const readPage = async ({ deploymentTasks }: Api) =>
  unwrap(await deploymentTasks.list({ query: { per_page: 50 } })).items.length;

/** A refused deletion, which names the deployments that use the secret. */
async function refusedDeletion({ secrets }: Api, id: string): Promise<void> {
  const answer = await secrets.delete({ id });
  if (answer.ok || answer.problem.code !== 'conflict') throw new Error('the secret was deleted although it is used');
}

/** A member of the env who is not a site admin. */
async function memberOf(stack: Stack, api: Api, envId: string): Promise<Api> {
  const signal = AbortSignal.timeout(60_000);
  const jwt = await signIn({ stack, signal }, 'grace');
  const member = createClient({ baseUrl: stack.url, credential: () => ({ jwt }) });
  const [user] = unwrap(await api.users.list({ query: { email: 'grace@example.test' } })).items;
  if (!user) throw new Error('the user who signed in is not listed');
  unwrap(await api.users.update({ id: user.id, body: { is_active: true } }));
  unwrap(await api.envUserPermissions.create({ body: { env_id: envId, user_id: user.id, role: 'User' } }));
  return member;
}

async function usedSecret(db: Client, api: Api, envId: string): Promise<string> {
  const secret = { env_id: envId, collection: 'bench', name: `used-${Date.now()}`, contents: 'x' };
  const { id } = unwrap(await api.secrets.create({ body: secret }));
  await db.query(
    `insert into deployment_references (deployment_id, input, collection, item_id)
     select id, 'token', 'secrets', $1 from deployments where name like $2 || '%' order by name limit $3`,
    [id, name, users],
  );
  return id;
}
