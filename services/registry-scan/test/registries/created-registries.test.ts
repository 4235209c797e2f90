import { randomBytes, randomUUID } from 'node:crypto';
import { etagOf } from '@berth/bus/rpc/etag';
import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries, type NewHelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { registryChecks } from '@berth/contracts/resources/charts/registry-checks';
import { audited } from '@berth/testing/db/audited';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createCreatedRegistryRepository } from '../../src/registries/created-registry-repository.ts';
import { refuseToStartWithoutKeys, sealCredentials } from '../../src/registries/sealed-credentials.ts';
import { filledService, missing, notSiteAdmins, packaged } from '../support/filled-service.ts';
import { type IndexServer, startIndexServer } from '../support/index-server.ts';
import { whilePolling } from '../support/while-polling.ts';

const { siteAdmin, outsider } = sampleIdentities;
const { call, outboxOf, registryOf, server, service } = filledService();
const { create, delete: remove, get, update } = helmRegistries.operations;
const { run: check } = registryChecks.operations;

let index: IndexServer;
beforeEach(async () => {
  index = await startIndexServer();
  index.add('web', '7.0.0', await packaged('7.0.0'));
});
afterEach(() => index[Symbol.asyncDispose]());

const url = () => `${index.origin}/stable`;
const body = (fields: Partial<NewHelmRegistry> = {}): NewHelmRegistry => ({
  provider: 'HelmRepo',
  url: url(),
  repo_name: 'web',
  ...fields,
});
const credentials = { username: 'ada', password: 'canary-of-a-registry' };
const basic = `Basic ${Buffer.from('ada:canary-of-a-registry').toString('base64')}`;

const chartsOf = async (id: string) =>
  (await call(helmCharts.operations.list, outsider, { query: { helm_registry_id: id } })).items;

test('a created registry is listed at once, scanned, and shows its last scan', async () => {
  const row = await call(create, siteAdmin, { body: body({ fa_icon: 'cubes' }) });
  expect(row).toMatchObject({
    domain_name: url().replace('http://', ''),
    repo_name: 'web',
    provider: 'HelmRepo',
    source: 'created',
    fa_icon: 'cubes',
    last_scan_at: null,
    last_error: null,
  });

  await whilePolling(service(), async () => {
    await expect.poll(() => chartsOf(row.id)).toMatchObject([{ image_tag: '7.0.0', available: true, error: null }]);
    await expect.poll(() => call(get, outsider, { id: row.id })).toMatchObject({ last_scan_at: expect.any(String) });
  });

  expect(await audited(service().db, row.id)).toMatchObject([{ actor_id: siteAdmin.id, action: 'create' }]);
  expect((await outboxOf('helm_registries')).at(-1)).toMatchObject({ id: row.id, operation: 'INSERT' });
});

test('the credentials of a created registry are used, and are in no answer, row, event or audit entry', async () => {
  const row = await call(create, siteAdmin, { body: body({ credentials }) });
  await whilePolling(service(), () => expect.poll(() => chartsOf(row.id)).toHaveLength(1));

  expect(index.requests.map(({ authorization }) => authorization)).toEqual([basic, basic]);
  const tables = ['helm_registries', 'created_registries', 'outbox', 'audit_log', 'idempotency_keys'];
  for (const table of tables) {
    const rows = await service().db.any(
      sql.type(z.object({ text: z.string() }))`select t::text as text from ${sql.identifier([table])} t`,
    );
    expect(JSON.stringify([row, rows])).not.toContain('canary');
  }
  const { sealed } = await service().db.one(
    sql.type(z.object({ sealed: z.instanceof(Buffer) }))`select sealed_credentials as sealed from created_registries`,
  );
  expect(sealed.includes('canary')).toBe(false);
});

test('sealed credentials do not open in the row of another registry', async () => {
  const first = await call(create, siteAdmin, { body: body({ credentials }) });
  const second = await call(create, siteAdmin, { body: body({ repo_name: 'other', credentials }) });
  await service().db.query(sql.unsafe`
    update created_registries set sealed_credentials = (
      select sealed_credentials from created_registries where helm_registry_id = ${first.id}
    ) where helm_registry_id = ${second.id}
  `);

  expect(await call(check, siteAdmin, { id: second.id })).toMatchObject({
    versions: null,
    error: 'the credentials cannot be opened: give them again',
  });
  expect(index.requests).toEqual([]);
});

test('new credentials are used from the next request, and their change is audited without them', async () => {
  const row = await call(create, siteAdmin, { body: body() });

  await call(update, siteAdmin, { id: row.id, body: { credentials } });
  await call(check, siteAdmin, { id: row.id });
  await call(update, siteAdmin, { id: row.id, body: { credentials: null } });
  await call(check, siteAdmin, { id: row.id });

  expect(index.requests.map(({ authorization }) => authorization)).toEqual([basic, undefined]);
  expect((await audited(service().db, row.id)).map(({ details }) => details).slice(1)).toMatchObject([
    { credentials: 'replaced' },
    { credentials: 'removed' },
  ]);
});

test('two replacements of the credentials under one If-Match conflict, also if both happen at once', async () => {
  const row = await call(create, siteAdmin, { body: body({ credentials }) });
  expect(row.credentials_set_at).toEqual(expect.any(String));
  const ifMatch = etagOf(helmRegistries, row) ?? '';
  const replace = (password: string | null) =>
    call(
      update,
      siteAdmin,
      { id: row.id, body: { credentials: password === null ? null : { username: 'ada', password } } },
      { ifMatch },
    );

  const outcomes = await Promise.allSettled([replace('first'), replace('second'), replace(null)]);

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(replace('third')).rejects.toMatchObject({ code: 'stale' });
  const now = await call(get, outsider, { id: row.id });
  await call(
    update,
    siteAdmin,
    { id: row.id, body: { fa_icon: 'cubes' } },
    { ifMatch: etagOf(helmRegistries, now) ?? '' },
  );
});

test('a check says what the registry lists, or why it cannot', async () => {
  index.add('web', '8.0.0', await packaged('8.0.0'));
  const row = await call(create, siteAdmin, { body: body() });
  const none = await call(create, siteAdmin, { body: body({ repo_name: 'none' }) });

  expect(await call(check, siteAdmin, { id: row.id })).toMatchObject({
    versions: 2,
    examples: ['7.0.0', '8.0.0'],
    error: null,
  });
  expect(await call(check, siteAdmin, { id: none.id })).toMatchObject({
    versions: null,
    error: `${row.domain_name} has no none`,
  });
  index.misbehave((_, response) => void response.writeHead(403).end());
  expect(await call(check, siteAdmin, { id: row.id })).toMatchObject({
    versions: null,
    error: `${row.domain_name} refuses access (403)`,
  });
  expect(await chartsOf(row.id)).toEqual([]);
});

test('a deleted registry is gone with its charts, and is not scanned again', async () => {
  const row = await call(create, siteAdmin, { body: body({ credentials }) });

  await whilePolling(service(), async () => {
    await expect.poll(() => chartsOf(row.id)).toHaveLength(1);
    await call(remove, siteAdmin, { id: row.id });
    await expect.poll(() => service().created.find(row.domain_name, 'web')).toBeUndefined();
  });

  await expect(call(get, outsider, { id: row.id })).rejects.toMatchObject({ code: 'not_found' });
  expect(await chartsOf(row.id)).toEqual([]);
  expect(await audited(service().db, row.id)).toMatchObject([{ action: 'create' }, { action: 'delete' }]);
  const events = [...(await outboxOf('helm_charts')), ...(await outboxOf('helm_registries'))];
  expect(events.filter(({ operation }) => operation === 'DELETE')).toHaveLength(2);
  // It can be created again.
  expect(await call(create, siteAdmin, { body: body() })).toMatchObject({ source: 'created' });
});

test('a registry with a chart that a deployment refers to is not deleted', async () => {
  const row = await call(create, siteAdmin, { body: body() });
  await whilePolling(service(), () => expect.poll(() => chartsOf(row.id)).toHaveLength(1));
  const [chart] = await chartsOf(row.id);
  await service().db.query(sql.unsafe`
    insert into deployment_projection (id, version, deleted, helm_chart_id)
    values (${randomUUID()}, 1, false, ${chart?.id ?? ''})
  `);

  await expect(call(remove, siteAdmin, { id: row.id })).rejects.toMatchObject({ code: 'conflict' });

  expect(await chartsOf(row.id)).toHaveLength(1);
});

test('registries of the configuration are neither deleted nor given credentials', async () => {
  const { id, domain_name } = await registryOf('charts/web');

  await expect(call(remove, siteAdmin, { id })).rejects.toMatchObject({
    code: 'conflict',
    message: `${domain_name} is configured: take it out of REGISTRIES`,
  });
  await expect(call(update, siteAdmin, { id, body: { credentials } })).rejects.toMatchObject({ code: 'conflict' });
  await expect(
    call(create, siteAdmin, { body: { provider: 'Oci', url: server().origin, repo_name: 'charts/new' } }),
  ).rejects.toMatchObject({ code: 'conflict' });
});

test('a repository is created once', async () => {
  await call(create, siteAdmin, { body: body() });

  await expect(call(create, siteAdmin, { body: body() })).rejects.toMatchObject({ code: 'conflict' });
});

test.for<[string, string, Partial<NewHelmRegistry>]>([
  ['an address of the metadata service', 'body.url', { url: 'http://169.254.169.254/' }],
  ['an address of this machine that is not allowed', 'body.url', { url: 'http://127.0.0.2/' }],
  ['an address in other notations', 'body.url', { url: 'http://0x7f000002/' }],
  ['credentials in the URL', 'body.url', { url: 'https://ada:canary@example.com/' }],
  ['a token in the query of the URL', 'body.url', { url: 'https://example.com/stable?token=canary' }],
  ['a fragment in the URL', 'body.url', { url: 'https://example.com/stable#canary' }],
  ['another protocol', 'body.url', { url: 'file:///etc/passwd' }],
  ['no URL', 'body.url', { url: 'example' }],
  ['a name that is a path', 'body.repo_name', { repo_name: '../web' }],
  ['token servers of a provider without tokens', 'body.auth_hosts', { auth_hosts: ['auth.example.com'] }],
])('a registry is not created with %s, and the refusal names the field', async ([, path, fields]) => {
  const refused = call(create, siteAdmin, { body: body(fields) });

  await expect(refused).rejects.toMatchObject({ code: 'invalid', errors: [{ path }] });
  await expect(refused).rejects.not.toThrow('canary');
  expect(index.requests).toEqual([]);
});

test.for(notSiteAdmins)('registries are not created, checked or deleted by %s', async ([, identity]) => {
  const { id } = await call(create, siteAdmin, { body: body() });

  for (const attempt of [
    call(create, identity, { body: body({ repo_name: 'other' }) }),
    call(check, identity, { id }),
    call(remove, identity, { id }),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'forbidden' });
  }
  expect(index.requests).toEqual([]);
});

test('an unknown registry is neither checked nor deleted', async () => {
  await expect(call(check, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(remove, siteAdmin, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
});

test('keys that open none of the stored credentials stop the start, also if there are no keys; during a rotation one of several is enough', async () => {
  const repository = createCreatedRegistryRepository(service().db);
  expect(() => refuseToStartWithoutKeys([], [])).not.toThrow();
  await call(create, siteAdmin, { body: body({ credentials }) });
  const stored = await repository.allSealed();
  expect(stored).toHaveLength(1);
  const own = randomBytes(32);
  const id = randomUUID();
  const again = { id, credentials: sealCredentials([own], id, credentials), pushToken: null };

  for (const keys of [[], [randomBytes(32)]]) {
    expect(() => refuseToStartWithoutKeys(keys, stored)).toThrow(
      'KEY_ENCRYPTION_KEY: must be the key that sealed the stored credentials of registries',
    );
  }
  expect(() => refuseToStartWithoutKeys([own], [...stored, again])).not.toThrow();
  expect(() => refuseToStartWithoutKeys([randomBytes(32), own], [again])).not.toThrow();
});
