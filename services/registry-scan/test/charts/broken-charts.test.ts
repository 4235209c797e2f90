import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { digestOf } from '@berth/bus/objects/digest-of';
import { chartTgz } from '@berth/chart-archive/testing/tgz';
import { registryInTest, web } from '../support/registry-in-test.ts';

const { charts, makeRechecksDue, scan, server, service } = registryInTest();

test('a chart whose file breaks a rule is listed with file, path and rule', async () => {
  const valuesUi = 'apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n  - { id: a, type: txt, label: A }\n';
  const { archiveDigest } = server().push(
    'charts/web',
    '1.0.0',
    await web('1.0.0', { 'berth/values-ui.yaml': valuesUi }),
  );

  await scan();

  expect(await charts()).toMatchObject([
    {
      available: true,
      values_ui: null,
      parsed_version: '1.0.0',
      error: expect.stringMatching(/^berth\/values-ui\.yaml: inputs\[0\]\.type: must be one of text/),
    },
  ]);
  expect(await service().bus.objects.get(archiveDigest)).toBeNull();
});

test('a chart whose rule would iterate nested lists is listed with file, path and rule', async () => {
  const list = '[1,2,3,4,5,6,7,8,9,10]';
  const rule = `{ all: [${list}, { all: [${list}, { all: [${list}, { '>': [{ val: [[2], zz] }, 0] }] }] }] }`;
  const valuesUi = `apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n  - { id: a, type: text, label: A, showIf: ${rule} }\n`;
  server().push('charts/web', '1.0.0', await web('1.0.0', { 'berth/values-ui.yaml': valuesUi }));

  await scan();

  expect(await charts()).toMatchObject([
    {
      values_ui: null,
      error: expect.stringMatching(/^berth\/values-ui\.yaml: inputs\[0\]\.showIf: must use one operator of var == /),
    },
  ]);
});

test('a package that is not an archive is listed as a broken chart', async () => {
  server().push('charts/web', '1.0.0', Buffer.from('hello'));

  await scan();

  expect(await charts()).toMatchObject([{ error: expect.stringContaining('not a gzipped tar file') }]);
});

test('a chart whose package does not match its digest is broken until a recheck finds the right package', async () => {
  const good = await web('7.7.7');
  const { archiveDigest } = server().push('charts/web', '1.0.0', good);
  server().putBlob(archiveDigest, Buffer.from('something else'));
  await scan();
  expect(await charts()).toMatchObject([{ error: expect.stringContaining('does not match its digest') }]);
  expect(await service().bus.objects.get(archiveDigest)).toBeNull();

  server().putBlob(archiveDigest, good);
  await scan();
  expect(await charts()).toMatchObject([{ error: expect.stringContaining('does not match its digest') }]);

  await makeRechecksDue();
  await scan();
  expect(await charts()).toMatchObject([{ error: null, image_tag: '1.0.0' }]);
});

test.for([
  ['half a surrogate pair in a label', '"\\ud83d"', 'must be well-formed Unicode'],
  ['a NUL in a label', '"a\\0b"', 'must not contain a NUL character'],
] as const)('a chart with %s is broken, and the other charts of its repository are found', async ([, label, rule]) => {
  const valuesUi = `apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n  - { id: a, type: text, label: ${label} }\n`;
  server().push('charts/web', '1.0.0', await web('1.0.0', { 'berth/values-ui.yaml': valuesUi }));
  server().push('charts/web', '2.0.0', await web('2.0.0'));

  await scan();

  expect(await charts()).toMatchObject([
    { image_tag: '1.0.0', error: `berth/values-ui.yaml: inputs[0].label: ${rule}` },
    { image_tag: '2.0.0', error: null },
  ]);
});

test('a chart whose error quotes a NUL is listed with a visible symbol instead', async () => {
  server().push('charts/web', '1.0.0', await chartTgz({ 'Chart.yaml': 'name: *no\0where' }));

  await scan();

  expect(await charts()).toMatchObject([{ error: expect.stringMatching(/^Chart\.yaml: is not valid YAML.*no␀where/) }]);
});

test('a chart that the database refuses is listed without its content, and does not hide other charts', async () => {
  const { db } = service();
  await db.query(sql.unsafe`
      alter table helm_charts add constraint only_in_this_test
      check (image_tag <> '3.0.0' and (image_tag <> '2.0.0' or error is not null))
    `);
  await using restored = new AsyncDisposableStack();
  restored.defer(async () => {
    await db.query(sql.unsafe`alter table helm_charts drop constraint only_in_this_test`);
  });
  for (const tag of ['1.0.0', '2.0.0', '3.0.0', '4.0.0']) server().push('charts/web', tag, await web(tag));

  await scan();

  expect(await charts()).toMatchObject([
    { image_tag: '1.0.0', error: null },
    { image_tag: '2.0.0', error: 'the content of the chart cannot be stored' },
    { image_tag: '4.0.0', error: null },
  ]);
});

test('a package whose manifest gives too large a size is not fetched, and its chart is broken', async () => {
  const layer = {
    mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
    digest: digestOf(Buffer.from('big')),
    size: 21 * 1024 * 1024,
  };
  const config = { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: layer.digest, size: 2 };
  server().pushManifest('charts/web', '1.0.0', { schemaVersion: 2, config, layers: [layer] });

  await scan();

  expect(await charts()).toMatchObject([{ error: expect.stringContaining('larger than 20971520 bytes') }]);
  expect(server().requests.some(({ line }) => line.includes('/blobs/'))).toBe(false);
});

test('a chart whose YAML takes minutes to parse is listed as broken, and is not read again', async () => {
  server().push('charts/web', '1.0.0', await chartTgz({ 'Chart.yaml': '&a '.repeat(300_000) }));

  await scan();

  expect(await charts()).toMatchObject([
    { error: expect.stringMatching(/take (longer than|more memory)/), parsed_version: '1.0.0' },
  ]);
  const packagesRead = () => server().requests.filter(({ line }) => line.includes('/blobs/')).length;
  const before = packagesRead();
  await makeRechecksDue();
  await scan();
  expect(packagesRead()).toBe(before);
});
