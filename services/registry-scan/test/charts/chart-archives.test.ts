import { randomBytes } from 'node:crypto';
import type { Handlers } from '@berth/bus/rpc/handler';
import { implement } from '@berth/bus/rpc/implement';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { taskClaims } from '@berth/contracts/resources/tasks/task-claims';
import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { createChartRepository } from '../../src/charts/chart-repository.ts';
import { ensureArchive } from '../../src/charts/ensure-archive.ts';
import { filledService, missing } from '../support/filled-service.ts';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';

const { chartOf, scan, server, service } = filledService();

const { ensure } = chartArchives.operations;
/** Scans with an object store that keeps nothing. */
const scanWithoutStore = () => {
  const deps = service().scan;
  return scan({ ...deps, fetching: { ...deps.fetching, objects: { put: async () => undefined } } });
};
const blobRequests = () => server().requests.filter(({ line }) => line.includes('/blobs/')).length;

test('a stored chart archive is not fetched again', async () => {
  const chart = await chartOf('1.0.0');
  const before = blobRequests();

  const { digest } = await service().callers.tasks.call(ensure, { body: { helm_chart_id: chart.id } });

  expect(await service().bus.objects.get(digest)).not.toBeNull();
  expect(blobRequests()).toBe(before);
});

test('a lost chart archive is fetched once for concurrent requests', async () => {
  const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '4.0.0' }), random: crypto.randomUUID() });
  const { archiveDigest } = server().push('charts/web', '4.0.0', archive);
  await scanWithoutStore();
  const chart = await chartOf('4.0.0');
  expect(await service().bus.objects.get(archiveDigest)).toBeNull();
  const before = blobRequests();

  const request = { body: { helm_chart_id: chart.id } };
  const answers = await Promise.all(
    [1, 2, 3].map(() => service().callers.tasks.call(ensure, request, { deadlineMs: 30_000 })),
  );

  expect(answers).toEqual([1, 2, 3].map(() => ({ digest: archiveDigest })));
  expect(blobRequests()).toBe(before + 1);
  expect(Buffer.from((await service().bus.objects.get(archiveDigest)) ?? [])).toEqual(archive);
});

test('a chart archive that cannot be fetched is unavailable if a retry may help, else unprocessable', async () => {
  const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '5.0.0' }), random: crypto.randomUUID() });
  const { archiveDigest } = server().push('charts/web', '5.0.0', archive);
  await scanWithoutStore();
  const request = { body: { helm_chart_id: (await chartOf('5.0.0')).id } };

  server().putBlob(archiveDigest, Buffer.from('other bytes'));
  await expect(service().callers.tasks.call(ensure, request)).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('does not match its digest'),
  });
  server().misbehave((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end());
  await expect(service().callers.tasks.call(ensure, request)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await service().bus.objects.get(archiveDigest)).toBeNull();
});

test('a chart archive that takes too long to fetch is unavailable', async () => {
  const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '6.0.0' }), random: crypto.randomUUID() });
  server().push('charts/web', '6.0.0', archive);
  await scanWithoutStore();
  const { id } = await chartOf('6.0.0');
  const { client } = service().addRegistry(server().registry);
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

test('the archive of an unknown chart is unprocessable', async () => {
  await expect(service().callers.tasks.call(ensure, { body: { helm_chart_id: missing } })).rejects.toMatchObject({
    code: 'unprocessable',
    errors: [{ path: 'body.helm_chart_id' }],
  });
});

test('a runner reads only the chart archive of its claim, in parts', async () => {
  const archive = await chartTgz({
    'Chart.yaml': chartYaml({ version: '7.0.0' }),
    random: randomBytes(2_000_000).toString('base64'),
  });
  const { archiveDigest } = server().push('charts/web', '7.0.0', archive);
  await scan();
  const chart = await chartOf('7.0.0');
  const claim = { task_id: missing, fence: 7 };
  const withoutChart = crypto.randomUUID();
  const { runner, tasks } = service().callers;
  const get: Handlers<(typeof taskClaims)['operations']>['get'] = async ({ body }) => {
    if (body.fence !== claim.fence) throw new AppError('conflict', 'The task was taken over by another runner');
    return {
      deployment_id: missing,
      cluster_id: missing,
      namespace: 'web',
      helm_chart_id: body.task_id === withoutChart ? null : chart.id,
      is_dry_run: false,
    };
  };
  tasks.serve(implement(taskClaims, { get }));
  await tasks.listening();
  const read = (part: number, fence = claim.fence) =>
    runner.call(chartArchives.operations.read, { body: { ...claim, fence, part } }, { deadlineMs: 20_000 });

  const answers = await Promise.all([read(0), read(1)]);

  expect(answers.map(({ digest, parts }) => [digest, parts])).toEqual([
    [archiveDigest, 2],
    [archiveDigest, 2],
  ]);
  expect(Buffer.concat(answers.map(({ data }) => Buffer.from(data, 'base64')))).toEqual(archive);
  await expect(read(0, 8)).rejects.toMatchObject({ code: 'conflict' });
  await expect(read(2)).rejects.toMatchObject({ code: 'unprocessable' });
  const ofUninstall = { body: { ...claim, task_id: withoutChart, part: 0 } };
  await expect(runner.call(chartArchives.operations.read, ofUninstall)).rejects.toMatchObject({
    code: 'unprocessable',
    message: 'The task does not use a chart',
  });
  await expect(runner.call(ensure, { body: { helm_chart_id: chart.id } })).rejects.toThrow('does not allow runner');
  await expect(runner.objects.get(archiveDigest)).rejects.toThrow(/permission/i);
});

test('the gateway may not request chart archives', async () => {
  await expect(service().callers.gateway.call(ensure, { body: { helm_chart_id: missing } })).rejects.toThrow(
    'NATS does not allow api-gateway',
  );
});
