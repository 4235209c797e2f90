import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../src/oci/digest-of.ts';
import { chartTgz } from './support/tgz.ts';
import { watchedRegistry, web } from './support/scanned-registry.ts';

const { charts, letTimePass, scan, server, service } = watchedRegistry();

describe('a broken chart is listed with its error', () => {
  test('of a file that breaks a rule, with file, path and rule', async () => {
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

  test('of a rule that would go through lists in lists, with file, path and rule', async () => {
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

  test('that is no archive', async () => {
    server().push('charts/web', '1.0.0', Buffer.from('hello'));

    await scan();

    expect(await charts()).toMatchObject([{ error: expect.stringContaining('not a gzipped tar file') }]);
  });

  test('whose package is another than its manifest says, until it is the right one', async () => {
    const good = await web('7.7.7');
    const { archiveDigest } = server().push('charts/web', '1.0.0', good);
    server().putBlob(archiveDigest, Buffer.from('something else'));
    await scan();
    expect(await charts()).toMatchObject([{ error: expect.stringContaining('another package') }]);
    expect(await service().bus.objects.get(archiveDigest)).toBeNull();

    server().putBlob(archiveDigest, good);
    await scan();
    expect(await charts()).toMatchObject([{ error: expect.stringContaining('another package') }]);

    await letTimePass();
    await scan();
    expect(await charts()).toMatchObject([{ error: null, image_tag: '1.0.0' }]);
  });

  test.for([
    ['half a surrogate pair in a label', '"\\ud83d"', 'must be well-formed Unicode'],
    ['a NUL in a label', '"a\\0b"', 'must not contain a NUL character'],
  ] as const)('with %s, and the other charts of its repository are found', async ([, label, rule]) => {
    const valuesUi = `apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n  - { id: a, type: text, label: ${label} }\n`;
    server().push('charts/web', '1.0.0', await web('1.0.0', { 'berth/values-ui.yaml': valuesUi }));
    server().push('charts/web', '2.0.0', await web('2.0.0'));

    await scan();

    expect(await charts()).toMatchObject([
      { image_tag: '1.0.0', error: `berth/values-ui.yaml: inputs[0].label: ${rule}` },
      { image_tag: '2.0.0', error: null },
    ]);
  });

  test('whose error quotes a NUL', async () => {
    server().push('charts/web', '1.0.0', await chartTgz({ 'Chart.yaml': 'name: *no\0where' }));

    await scan();

    expect(await charts()).toMatchObject([
      { error: expect.stringMatching(/^Chart\.yaml: is not valid YAML.*no␀where/) },
    ]);
  });

  test('that the database refuses, and what it refuses altogether hides no other chart', async () => {
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
      { image_tag: '2.0.0', error: 'what the chart says about itself cannot be stored' },
      { image_tag: '4.0.0', error: null },
    ]);
  });

  test('whose package is too large by its own manifest, which is then not fetched', async () => {
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

  test('whose YAML takes minutes to parse', async () => {
    server().push('charts/web', '1.0.0', await chartTgz({ 'Chart.yaml': '&a '.repeat(300_000) }));

    await scan();

    expect(await charts()).toMatchObject([
      { error: expect.stringMatching(/take (longer than|more memory)/), parsed_version: '1.0.0' },
    ]);
  });
});
