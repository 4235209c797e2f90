import { chartArchives } from '@berth/shared/contracts/chart-archives';
import { describe, expect, test } from 'vitest';
import { createChartRepository } from '../src/charts/chart-repository.ts';
import { ensureArchive } from '../src/charts/ensure-archive.ts';
import { filledService, missing } from './filled-service.ts';
import { chartTgz, chartYaml } from './tgz.ts';

const { chartOf, scan, server, service } = filledService();

describe('chart archives', () => {
  const { ensure } = chartArchives.operations;
  /** As if the object store had lost it since. */
  const scanWithoutStore = () => {
    const deps = service().scan;
    return scan({ ...deps, reading: { ...deps.reading, objects: { put: async () => undefined } } });
  };
  const asked = () => server().requests.filter(({ line }) => line.includes('/blobs/')).length;

  test('are ensured from what is kept', async () => {
    const chart = await chartOf('1.0.0');
    const before = asked();

    const { digest } = await service().callers.runner.call(ensure, { body: { helm_chart_id: chart.id } });

    expect(await service().callers.runner.objects.get(digest)).not.toBeNull();
    expect(asked()).toBe(before);
  });

  test('are fetched again where they were lost, once for all who ask', async () => {
    const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '4.0.0' }), random: crypto.randomUUID() });
    const { archiveDigest } = server().push('charts/web', '4.0.0', archive);
    await scanWithoutStore();
    const chart = await chartOf('4.0.0');
    expect(await service().bus.objects.get(archiveDigest)).toBeNull();
    const before = asked();

    const request = { body: { helm_chart_id: chart.id } };
    const answers = await Promise.all([1, 2, 3].map(() => service().callers.runner.call(ensure, request)));

    expect(answers).toEqual([1, 2, 3].map(() => ({ digest: archiveDigest })));
    expect(asked()).toBe(before + 1);
    expect(Buffer.from((await service().callers.runner.objects.get(archiveDigest)) ?? [])).toEqual(archive);
  });

  test('that cannot be had say whether another try may help', async () => {
    const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '5.0.0' }), random: crypto.randomUUID() });
    const { archiveDigest } = server().push('charts/web', '5.0.0', archive);
    await scanWithoutStore();
    const request = { body: { helm_chart_id: (await chartOf('5.0.0')).id } };

    server().putBlob(archiveDigest, Buffer.from('other bytes'));
    await expect(service().callers.runner.call(ensure, request)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('another package'),
    });
    server().misbehave((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end());
    await expect(service().callers.runner.call(ensure, request)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await service().bus.objects.get(archiveDigest)).toBeNull();
  });

  test('that take too long may be had another time', async () => {
    const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '6.0.0' }), random: crypto.randomUUID() });
    server().push('charts/web', '6.0.0', archive);
    await scanWithoutStore();
    const { id } = await chartOf('6.0.0');
    const { client } = service().watch(server().source);
    const { db, bus } = service();
    const ensureSoon = ensureArchive({
      chartRepository: createChartRepository(db),
      objects: bus.objects,
      clientOf: () => client,
      deadlineMs: 100,
    });
    server().misbehave(() => undefined);

    await expect(ensureSoon(id)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('of no chart are unprocessable', async () => {
    await expect(service().callers.runner.call(ensure, { body: { helm_chart_id: missing } })).rejects.toMatchObject({
      code: 'unprocessable',
      errors: [{ path: 'body.helm_chart_id' }],
    });
  });

  test('are none of the gateway’s business', async () => {
    await expect(service().callers.gateway.call(ensure, { body: { helm_chart_id: missing } })).rejects.toThrow(
      'NATS does not allow api-gateway',
    );
  });
});
