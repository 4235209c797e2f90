import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskOf } from './support/fake-tasks.ts';
import { type Running, startRunning } from './support/start-running.ts';

let running: Running;
beforeAll(async () => {
  running = await startRunning();
});
afterAll(() => running?.[Symbol.asyncDispose]());

const map = (name: string, data = 'from: chart') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { ${data} }\n`;
const chartOf = (name: string) => `apiVersion: v1\nname: ${name}\nversion: 1.0.0\n`;
const subchart = (name: string, files: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries({ 'Chart.yaml': chartOf(name), 'templates/map.yaml': map(name), ...files }).map(
      ([path, content]) => [`charts/${name}/${path}`, content],
    ),
  );

/** A chart of Helm 2, whose dependencies are in files of their own. */
const older = {
  'Chart.yaml': chartOf('older'),
  'requirements.yaml': `dependencies:
- { name: chosen, version: 1.0.0, repository: "", condition: chosen.enabled }
- { name: unwanted, version: 1.0.0, repository: "", condition: unwanted.enabled }
- { name: extra, version: 1.0.0, repository: "", tags: [extras] }
- { name: kept, version: 1.0.0, repository: "", tags: [extras], condition: kept.enabled }
- { name: cache, version: ~1.0.0, repository: "https://charts.example.com/" }
- { name: cache, version: ~1.0.0, repository: "https://charts.example.com/", alias: sessions }
- { name: packed, version: 1.x.x, repository: "", import-values: [words] }
`,
  'requirements.lock': `dependencies:
- { name: chosen, repository: "", version: 1.0.0 }
- { name: cache, repository: "https://charts.example.com/", version: 1.0.0 }
digest: sha256:${'ab'.repeat(32)}
generated: "2019-03-21T10:00:00.000000000+01:00"
`,
  'values.yaml': `chosen: { enabled: true }
unwanted: { enabled: false }
kept: { enabled: true }
tags: { extras: false }
sessions: { size: "7" }
`,
  'templates/map.yaml': map('older', 'word: {{ .Values.word }}'),
  ...subchart('chosen'),
  ...subchart('unwanted'),
  ...subchart('extra'),
  ...subchart('kept'),
  ...subchart('cache', {
    'values.yaml': 'size: "1"\n',
    'templates/map.yaml': map('{{ .Chart.Name }}', 'size: {{ .Values.size | quote }}'),
  }),
  // Helm takes what is in the folder, also if nothing requires it.
  ...subchart('unlisted'),
};

/** A packaged subchart, as `helm dependency build` puts it into the folder. */
async function packed(): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-subchart-'));
  try {
    const files = {
      'Chart.yaml': chartOf('packed'),
      'values.yaml': 'exports: { words: { word: imported } }\n',
      'templates/map.yaml': map('packed'),
    };
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, 'packed', path);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, content);
    }
    const args = ['package', join(folder, 'packed'), '--destination', folder];
    await promisify(execFile)(running.world.helm, args, { env: { HOME: folder } });
    return { 'charts/packed-1.0.0.tgz': await readFile(join(folder, 'packed-1.0.0.tgz')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const names = ['older', 'chosen', 'unwanted', 'extra', 'kept', 'cache', 'sessions', 'packed', 'unlisted'];

test('a chart of apiVersion v1 is deployed: its requirements.yaml decides on its dependencies by conditions, tags, aliases and imports', async () => {
  const { act, world } = running;
  const chart = await world.lateChart(async () => undefined, { ...older, ...(await packed()) });
  const task = taskOf(chart);
  const path = (name: string) => `/api/v1/namespaces/${task.namespace}/configmaps/${name}`;
  const deployed = async () => {
    const found = await Promise.all(names.map(async (name) => ((await act.exists(path(name))) ? [name] : [])));
    return found.flat();
  };

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  expect(await deployed()).toEqual(['older', 'chosen', 'kept', 'cache', 'sessions', 'packed', 'unlisted']);
  expect(await act.get(path('older'))).toMatchObject({ data: { word: 'imported' } });
  expect(await act.get(path('cache'))).toMatchObject({ data: { size: '1' } });
  expect(await act.get(path('sessions'))).toMatchObject({ data: { size: '7' } });

  const values = { tags: { extras: true }, kept: { enabled: false }, unwanted: { enabled: true } };
  const again = taskOf(chart, { ...task, task_id: crypto.randomUUID(), is_first: false, values });
  expect(await act.run(again)).toMatchObject({ outcome: 'Done' });

  expect(await deployed()).toEqual(['older', 'chosen', 'unwanted', 'extra', 'cache', 'sessions', 'packed', 'unlisted']);
});
