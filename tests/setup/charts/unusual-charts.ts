import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type ChartFiles = Record<string, string | Buffer>;

/** A chart with exactly these files, in a folder of the same name; `links` are symbolic links within it. */
export async function chartFolder(name: string, files: ChartFiles, links: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'berth-unusual-'));
  const folder = join(root, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
  return { folder, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: ${data}\n`;

const hook = (name: string, when: string): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: { helm.sh/hook: ${when}, helm.sh/hook-delete-policy: hook-succeeded }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: job, image: job }] } } }
`;

/** Custom resource definitions with a megabyte of documentation, like those of large operators. */
const largeCrds = (): ChartFiles =>
  Object.fromEntries(
    ['ships', 'piers', 'cranes', 'tugs'].map((plural) => [
      `crds/${plural}.yaml`,
      JSON.stringify({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.harbour.example` },
        spec: {
          group: 'harbour.example',
          names: { plural, singular: plural.slice(0, -1), kind: plural.slice(0, -1).toUpperCase() },
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
                    Array.from({ length: 1_500 }, (_, at) => [
                      `field${at}`,
                      { type: 'string', description: `What field ${at} of ${plural} says. `.repeat(6) },
                    ]),
                  ),
                },
              },
            },
          ],
        },
      }),
    ]),
  );

/** One chart with most features of public charts. */
export const everythingChart = (): ChartFiles => ({
  'Chart.yaml': `apiVersion: v2
name: every.thing
version: 1.2.3+build.7
appVersion: 1.10
kubeVersion: ">=1.20.0-0"
deprecated: true
description: ${'A long story. '.repeat(4_000)}
icon: data:image/png;base64,${'A'.repeat(100_000)}
annotations: { artifacthub.io/changes: "- one\\n- two", number: 1, flag: true, constructor: odd }
dependencies:
  - { name: shared, version: 1.x.x, repository: "file://../shared" }
  - { name: sub, version: ">=0.1.0-0", repository: "", condition: sub.enabled, alias: renamed }
`,
  'values.yaml':
    '\ufeff# Windows\r\nbase: &base { a: 1 }\r\nother: { <<: *base }\r\nrenamed: { text: from the parent }\r\n',
  'values.schema.json': JSON.stringify({
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { size: { type: 'integer', minimum: 1 } },
    properties: { replicas: { $ref: '#/definitions/size' } },
  }),
  '.helmignore': '*.secret\n# comment\n/notes/\n',
  'platz/values-ui.yaml': `inputs:
  - { id: big, type: Checkbox, label: Big }
  - { id: replicas, type: number, label: Replicas, minimum: 10, showIfAll: [{ field: big, value: true }] }
  - { id: replicas, type: number, label: Replicas, minimum: 1 }
outputs: { values: [{ path: [replicas], value: { FieldValue: { input: replicas } } }] }
`,
  'templates/NOTES.txt': 'A line of many.\n'.repeat(20_000),
  'templates/deep/er/_names.tpl': '{{ define "name" }}{{ .Release.Name }}{{ end }}',
  'templates/map.yaml': configMap(
    'everything',
    '{ replicas: {{ .Values.replicas | quote }}, merged: {{ .Values.other.a | quote }}, shared: {{ include "shared.word" . }}, ' +
      'name: {{ include "name" . }}, size: {{ .Files.Get "files/blob.bin" | len | quote }}, linked: {{ .Files.Get "linked.txt" | quote }}, ' +
      'found: {{ (lookup "v1" "Namespace" "" .Release.Namespace).metadata.name }} }',
  ),
  'templates/before.yaml': hook('before', 'pre-install,pre-upgrade'),
  'templates/after.yaml': hook('after', 'post-delete'),
  'files/blob.bin': Buffer.alloc(1024 * 1024, 0xff),
  'files/word.txt': 'linked',
  'charts/shared/Chart.yaml': 'apiVersion: v2\nname: shared\nversion: 1.4.0\ntype: library\n',
  'charts/shared/templates/_word.tpl': '{{ define "shared.word" }}shared{{ end }}',
  'charts/sub/Chart.yaml': 'name: sub\nversion: 0.1.0\n',
  'charts/sub/values.yaml': '',
  'charts/sub/templates/map.yaml': configMap('sub', '{ text: {{ .Values.text }} }'),
  ...largeCrds(),
});

/** A chart in the format of Helm 2. */
export const olderChart: ChartFiles = {
  'Chart.yaml': 'apiVersion: v1\nname: older-form\nversion: 0.4.0\nmaintainers: [{ name: x, email: x@example.test }]\n',
  'requirements.yaml': 'dependencies: [{ name: sub, version: 0.1.0, repository: "" }]\n',
  'values.yaml': '',
  'templates/map.yaml': configMap('older', '{ a: b }'),
  'charts/sub/Chart.yaml': 'apiVersion: v1\nname: sub\nversion: 0.1.0\n',
  'charts/sub/templates/map.yaml': configMap('sub', '{ a: b }'),
};

export const libraryChart: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: only-a-library\nversion: 1.0.0\ntype: library\n',
  'templates/_words.tpl': '{{ define "word" }}word{{ end }}',
};

/** Helm stores a release with all files of its chart in a Secret, which holds at most a megabyte. */
export const tooLargeToRecord = (): ChartFiles => ({
  'Chart.yaml': 'apiVersion: v2\nname: too-large\nversion: 1.0.0\n',
  'templates/map.yaml': configMap('large', '{ a: b }'),
  'files/random.bin': randomBytes(1_200_000),
});

export const forAnotherKubernetes: ChartFiles = {
  'Chart.yaml': 'apiVersion: v2\nname: for-later\nversion: 1.0.0\nkubeVersion: ">=99.0.0-0"\n',
  'templates/map.yaml': configMap('later', '{ a: b }'),
};
