import { gzipSync } from 'node:zlib';
import { chartTgz, chartYaml, tarHeader, type TarEntry, tarOf } from '@berth/chart-archive/testing/tgz';

type Files = Record<string, string | Buffer>;

const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n';
const of = (version: string, files: Files = {}): Files => ({
  'Chart.yaml': chartYaml({ version }),
  'templates/map.yaml': map,
  ...files,
});
const tgzOf = async (entries: TarEntry[], before: Buffer = Buffer.alloc(0)) =>
  gzipSync(Buffer.concat([before, await tarOf(entries)]));
const entriesOf = (files: Files): TarEntry[] =>
  Object.entries(files).map(([path, body]) => ({ name: `web/${path}`, body }));

const crd = (plural: string, fields: number) =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { plural, singular: plural, kind: 'Thing' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: Object.fromEntries(
                Array.from({ length: fields }, (_, at) => [
                  `field${at}`,
                  {
                    type: 'string',
                    description: 'It says what the field means, at the length of real ones. '.repeat(5),
                  },
                ]),
              ),
            },
          },
        },
      ],
    },
  });

/** Definitions that refer to each other, as generators of schemas write them. */
const largeSchema = () =>
  JSON.stringify({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $ref: '#/definitions/values',
    definitions: {
      values: { type: 'object', properties: { first: { $ref: '#/definitions/part0' } } },
      ...Object.fromEntries(
        Array.from({ length: 4_000 }, (_, at) => [
          `part${at}`,
          {
            type: 'object',
            description: 'A part of the values, described at length for the forms of other tools. '.repeat(4),
            properties: { next: { $ref: `#/definitions/part${(at + 1) % 4_000}` } },
          },
        ]),
      ),
    },
  });

/** The difficult shapes of public charts, by the version of each, which is its tag too. */
export const difficultCharts: Readonly<Record<string, (version: string) => Promise<Buffer>>> = {
  'with-crds': (version) =>
    chartTgz(
      of(
        version,
        Object.fromEntries(['ships', 'piers', 'tugs'].map((name) => [`crds/${name}.yaml`, crd(name, 2_000)])),
      ),
    ),
  'with-library': (version) =>
    chartTgz(
      of(version, {
        'Chart.yaml': chartYaml({
          version,
          dependencies: [{ name: 'words', version: '1.x.x', repository: 'oci://registry.example.com/charts' }],
        }),
        'Chart.lock': 'dependencies: []\ndigest: sha256:00\ngenerated: "2026-01-01T00:00:00Z"\n',
        'charts/words/Chart.yaml': chartYaml({ name: 'words', version: '1.4.0', type: 'library' }),
        'charts/words/templates/_words.tpl': '{{ define "words.name" }}word{{ end }}',
        'templates/map.yaml': `${map}data: { name: {{ include "words.name" . }} }\n`,
      }),
    ),
  'large-schema': (version) => chartTgz(of(version, { 'values.schema.json': largeSchema() })),
  'bom-and-crlf': (version) =>
    chartTgz(
      of(version, {
        'Chart.yaml': `\ufeffapiVersion: v2\r\nname: web\r\nversion: ${version}\r\ndescription: |\r\n  From Windows\r\n`,
        'values.yaml': '\ufeffname: x\r\n',
      }),
    ),
  helmignore: (version) =>
    chartTgz(
      of(version, {
        '.helmignore': '# comment\n*.bak\n/berth/*.bak\n!keep.bak\n.git/\n',
        'berth/values-ui.yaml': 'apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs: []\n',
        'keep.bak': 'x',
      }),
    ),
  'link-to-a-file': async (version) =>
    tgzOf([
      ...entriesOf(of(version, { 'LICENSE.txt': 'text' })),
      { name: 'web/LICENSE', type: 'symlink', linkname: 'LICENSE.txt' },
    ]),
  'link-as-chart-yaml': async (version) =>
    tgzOf([
      ...entriesOf({ 'templates/map.yaml': map, 'real.yaml': chartYaml({ version }) }),
      { name: 'web/Chart.yaml', type: 'symlink', linkname: 'real.yaml' },
    ]),
  'link-outside': async (version) =>
    tgzOf([...entriesOf(of(version)), { name: 'web/files/passwd', type: 'symlink', linkname: '/etc/passwd' }]),
  'packed-subcharts': async (version) => {
    const inner = await chartTgz(
      { 'Chart.yaml': chartYaml({ name: 'inner', version: '1.0.0' }), 'templates/map.yaml': map },
      'inner',
    );
    const outer = await chartTgz(
      {
        'Chart.yaml': chartYaml({
          name: 'outer',
          version: '1.0.0',
          dependencies: [{ name: 'inner', version: '1.0.0', repository: '' }],
        }),
        'charts/inner-1.0.0.tgz': inner,
      },
      'outer',
    );
    const dependencies = [{ name: 'outer', version: '1.0.0', repository: '', condition: 'outer.enabled' }];
    return chartTgz(
      of(version, { 'Chart.yaml': chartYaml({ version, dependencies }), 'charts/outer-1.0.0.tgz': outer }),
    );
  },
  'older-form': (version) =>
    chartTgz(
      of(version, {
        'Chart.yaml': `name: web\nversion: ${version}\nappVersion: 1.10\nengine: gotpl\ntillerVersion: ">=2.10.0"\n`,
        'requirements.yaml': 'dependencies: [{ name: sub, version: 0.1.0, repository: "@stable", tags: [a] }]\n',
        'requirements.lock': 'dependencies: []\ndigest: sha256:00\ngenerated: 2019-03-21T10:00:00.000000000+01:00\n',
        'charts/sub/Chart.yaml': 'name: sub\nversion: 0.1.0\n',
      }),
    ),
  'odd-metadata': (version) =>
    chartTgz(
      of(version, {
        'Chart.yaml': `apiVersion: v2
name: web
version: ${version}
appVersion: "2.0"
kubeVersion: ">=1.20.0-0"
description: ${'A long story. '.repeat(4_000)}
icon: data:image/png;base64,${'A'.repeat(100_000)}
keywords: [&word web, *word]
maintainers: [{ name: x, email: x@example.test, url: https://example.test }]
annotations: { artifacthub.io/changes: "- one\\n- two", constructor: odd }
`,
      }),
    ),
  'made-on-a-mac': async (version) =>
    tgzOf([
      { name: 'web', type: 'directory' },
      { name: 'web/._Chart.yaml', body: Buffer.from([0, 5, 22, 7, 0xff]) },
      ...entriesOf(of(version)),
    ]),
  'made-by-git': async (version) =>
    tgzOf(entriesOf(of(version)), tarHeader('g', '52 comment=0123456789012345678901234567890123456789\n')),
};

/** What is wrong with those that Helm refuses too. */
export const refusals: Readonly<Record<string, RegExp>> = {
  'link-as-chart-yaml': /^Chart\.yaml is not a regular file but a symlink$/,
};

export const versionOf = (name: string): string => `1.0.0-${name}`;
