import { deploymentKinds } from '@berth/shared/contracts/resources/deployment-kinds';
import { helmCharts } from '@berth/shared/contracts/resources/helm-charts';
import { audited } from '@berth/shared/db/test-support/audited';
import { sampleIdentities } from '@berth/shared/testing/test-identities';
import { describe, expect, test } from 'vitest';
import { everybody, filledService, missing, notSiteAdmins, packaged } from './support/filled-service.ts';

const { siteAdmin, bot } = sampleIdentities;
const { ask, registryOf, scan, server, service, toldOf } = filledService();
const charts = helmCharts.operations;
const kinds = deploymentKinds.operations;

describe('kinds', () => {
  test.for(everybody)('are listed and read by %s', async ([, identity]) => {
    const { items } = await ask(kinds.list, identity, { query: { sort: 'name' } });

    expect(items.map(({ name }) => name)).toEqual(['Other', 'Web']);
    expect(await ask(kinds.get, identity, { id: items[0]?.id ?? '' })).toEqual(items[0]);
  });

  test('are found by their name, whatever its case', async () => {
    expect((await ask(kinds.list, bot, { query: { name: 'WEB' } })).items).toMatchObject([{ name: 'Web' }]);
    expect((await ask(kinds.list, bot, { query: { name: 'we' } })).items).toEqual([]);
  });

  test('are renamed, everybody is told, and their charts stay theirs', async () => {
    const { kind_id: id } = await registryOf('charts/web');

    expect(await ask(kinds.update, siteAdmin, { id, body: { name: ' Website ' } })).toMatchObject({
      id,
      name: 'Website',
    });

    expect((await toldOf('deployment_kinds')).at(-1)).toMatchObject({ id, row: { name: 'Website' } });
    expect(await audited(service().db, id)).toMatchObject([
      { actor_kind: 'user', actor_id: siteAdmin.id, action: 'update', details: { name: ['Web', 'Website'] } },
    ]);
    server().push('charts/web', '3.0.0', await packaged('3.0.0'));
    await scan();
    expect((await ask(charts.list, bot, { query: { kind_id: id } })).num_total).toBe(3);
  });

  test('keep names that differ', async () => {
    const { kind_id: id } = await registryOf('charts/web');

    await expect(ask(kinds.update, siteAdmin, { id, body: { name: 'Other' } })).rejects.toMatchObject({
      code: 'conflict',
      message: 'A deployment kind named Other already exists',
    });
  });

  test.for<[string, object]>([
    ['body.name', {}],
    ['body.name', { name: ' ' }],
    ['body.name', { name: 'x'.repeat(101) }],
    ['body.id', { name: 'x', id: missing }],
  ])('name a wrong %s: %o', async ([path, body]) => {
    const { kind_id: id } = await registryOf('charts/web');

    await expect(ask(kinds.update, siteAdmin, { id, body: Object(body) })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ path }],
    });
  });

  test.for(notSiteAdmins)('are not renamed by %s', async ([, identity]) => {
    const { kind_id: id } = await registryOf('charts/web');

    await expect(ask(kinds.update, identity, { id, body: { name: 'x' } })).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('that are not there say so, and one that changed meanwhile is not overwritten', async () => {
    const { kind_id: id } = await registryOf('charts/web');
    const body = { name: 'x' };

    await expect(ask(kinds.get, bot, { id: missing })).rejects.toMatchObject({ code: 'not_found' });
    await expect(ask(kinds.update, siteAdmin, { id: missing, body })).rejects.toMatchObject({ code: 'not_found' });
    await expect(ask(kinds.update, siteAdmin, { id, body }, { ifMatch: '"old"' })).rejects.toMatchObject({
      code: 'stale',
    });
  });
});
