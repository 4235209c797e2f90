import { helmCharts } from '@berth/contracts/resources/charts/helm-charts';
import { helmRegistries, type NewHelmRegistry } from '@berth/contracts/resources/charts/helm-registries';
import { audited } from '@berth/testing/db/audited';
import { silentLog } from '@berth/testing/test-bus';
import { sampleIdentities } from '@berth/testing/test-identities';
import { sql } from 'slonik';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createPollRepository } from '../../src/polling/poll-repository.ts';
import { createHintRepository } from '../../src/push/hint-repository.ts';
import type { PushListener } from '../../src/push/push-listener.ts';
import { receivePushes } from '../../src/push/receive-pushes.ts';
import { filledService, missing, packaged } from '../support/filled-service.ts';
import { type OciServer, startOciServer } from '../support/oci-server.ts';
import { type PushEvent, pushEvents } from '../support/push-events.ts';
import { whilePolling } from '../support/while-polling.ts';

const { siteAdmin, outsider } = sampleIdentities;
const { call, outboxOf, service } = filledService();
const { create, update } = helmRegistries.operations;
const soon = { interval: 20 };
const repository = 'example/charts/web';
const token = 'canary-of-this-registry';
const tokenOfOperators = 'canary-of-the-operators';

let registry: OciServer;
let listener: PushListener;
let stop: AbortController;
let ended: Promise<void>;
beforeEach(async () => {
  registry = await startOciServer();
  stop = new AbortController();
  const pushes = await receivePushes(
    {
      scan: service().scan,
      configured: { scanned: new Map() },
      created: service().created,
      pollRepository: createPollRepository(service().db),
      hints: createHintRepository(service().db),
      log: silentLog,
      signal: stop.signal,
    },
    { host: '127.0.0.1', port: 0, token: tokenOfOperators },
  );
  listener = pushes.listener;
  ended = pushes.loop(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ended;
  await listener[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const body = (fields: Partial<NewHelmRegistry> = {}): NewHelmRegistry => ({
  provider: 'Oci',
  url: registry.origin,
  repo_name: repository,
  push_token: token,
  poll_interval_seconds: 86_400,
  ...fields,
});

/** Runs the work while the registry is polled, after its first scan. */
async function withCreated(work: (id: string) => Promise<void>, fields: Partial<NewHelmRegistry> = {}): Promise<void> {
  registry.push(repository, '1.0.0', await packaged('1.0.0'));
  const { id } = await call(create, siteAdmin, { body: body(fields) });
  await whilePolling(service(), async () => {
    await expect.poll(() => tagsOf(id), soon).toEqual(['1.0.0']);
    await work(id);
  });
}

const tagsOf = async (id: string) => {
  const { items } = await call(helmCharts.operations.list, outsider, {
    query: { helm_registry_id: id, sort: 'image_tag' },
  });
  return items.map(({ image_tag }) => image_tag);
};

async function send({ path, body: text, headers }: PushEvent, id?: string): Promise<number> {
  const url = `http://127.0.0.1:${listener.port}${path}${id === undefined ? '' : `/${id}`}`;
  return (await fetch(url, { method: 'POST', body: text, headers })).status;
}

type Kind = keyof typeof pushEvents;
const kinds: Kind[] = ['distribution', 'harbor', 'zot', 'github'];
const event = (kind: Kind, digest: string, fields: { token?: string; repository?: string } = {}) =>
  pushEvents[kind]({ host: 'registry.example.com', repository, tag: '2.0.0', digest, token, ...fields });
const noDigest = `sha256:${'0'.repeat(64)}`;

test.for(kinds)(
  'a push event of %s to the address of a created registry, with its token, shows the chart',
  async (kind) => {
    await withCreated(async (id) => {
      const { digest } = registry.push(repository, '2.0.0', await packaged('2.0.0'));

      expect(await send(event(kind, digest), id)).toBe(202);

      await expect.poll(() => tagsOf(id), soon).toEqual(['1.0.0', '2.0.0']);
    });
  },
);

test.for(kinds)(
  'a push event of %s to a created registry is refused with every other token, and at every other address',
  async (kind) => {
    await withCreated(async (id) => {
      const other = await call(create, siteAdmin, {
        body: body({ repo_name: 'other/web', push_token: 'a-token-of-another' }),
      });
      const without = await call(create, siteAdmin, {
        body: { ...body({ repo_name: 'third/web' }), push_token: undefined },
      });
      await expect.poll(() => service().created.withId(without.id), soon).toBeDefined();
      const before = registry.requests.length;

      const statuses = [
        await send(event(kind, noDigest, { token: tokenOfOperators }), id),
        await send(event(kind, noDigest, { token: 'a-token-of-another' }), id),
        await send(event(kind, noDigest), other.id),
        await send(event(kind, noDigest), without.id),
        await send(event(kind, noDigest, { token: '' }), without.id),
        await send(event(kind, noDigest), missing),
        await send(event(kind, noDigest)),
      ];

      expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401]);
      expect(registry.requests.slice(before).filter(({ line }) => line.includes(repository))).toEqual([]);
    });
  },
);

test('a created registry can only have its own repository scanned', async () => {
  await withCreated(async (id) => {
    const foreign = 'example/charts/other';
    registry.push(foreign, '2.0.0', await packaged('2.0.0'));

    expect(await send(event('distribution', noDigest, { repository: foreign }), id)).toBe(202);
    const { digest } = registry.push(repository, '2.0.0', await packaged('2.0.0'));
    expect(await send(event('distribution', digest), id)).toBe(202);

    await expect.poll(() => tagsOf(id), soon).toEqual(['1.0.0', '2.0.0']);
    expect(registry.requests.filter(({ line }) => line.includes(foreign))).toEqual([]);
  });
});

test('a replaced token is valid at once, the old one and a removed one are refused, and audit entries do not show tokens', async () => {
  await withCreated(async (id) => {
    await call(update, siteAdmin, { id, body: { push_token: 'another-canary-token' } });
    expect(await send(event('harbor', noDigest), id)).toBe(401);
    expect(await send(event('harbor', noDigest, { token: 'another-canary-token' }), id)).toBe(202);

    const row = await call(update, siteAdmin, { id, body: { push_token: null } });
    expect(row).toMatchObject({ push_token_set_at: null });
    expect(await send(event('harbor', noDigest, { token: 'another-canary-token' }), id)).toBe(401);

    expect((await audited(service().db, id)).map(({ details }) => details).slice(1)).toMatchObject([
      { push_token: 'replaced' },
      { push_token: 'removed' },
    ]);
    expect(JSON.stringify([row, await outboxOf('helm_registries')])).not.toContain('canary');
    for (const table of ['helm_registries', 'created_registries', 'audit_log', 'idempotency_keys']) {
      const rows = await service().db.any(
        sql.type(z.object({ text: z.string() }))`select t::text as text from ${sql.identifier([table])} t`,
      );
      expect(JSON.stringify(rows)).not.toContain('canary');
    }
  });
});

test('a push event gets 503 while the token of its registry cannot be read, so that its registry sends it again', async () => {
  await withCreated(async (id) => {
    await service().db.query(sql.unsafe`
      update created_registries set sealed_push_token = sealed_push_token || '\\x00' where helm_registry_id = ${id}
    `);

    expect(await send(event('distribution', noDigest), id)).toBe(503);
  });
});

test('a chart repository has no push token', async () => {
  const refused = call(create, siteAdmin, { body: body({ provider: 'HelmRepo', repo_name: 'web' }) });
  await expect(refused).rejects.toMatchObject({ code: 'invalid', errors: [{ path: 'body.push_token' }] });

  const { id } = await call(create, siteAdmin, {
    body: { provider: 'HelmRepo', url: registry.origin, repo_name: 'web' },
  });
  await expect(call(update, siteAdmin, { id, body: { push_token: token } })).rejects.toMatchObject({ code: 'invalid' });
});
