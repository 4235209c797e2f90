import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { toolsForTest } from '@berth/devstack/testing/with-servers';
import { startProcessGuard } from '@berth/process-guard/process-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHelmStarter, type HelmStarter } from '../src/helm/helm-starter.ts';
import { createHandOver, handOverArguments, type OnRendered } from '../src/helm/hand-over.ts';
import { parseManifest } from '../src/manifests/parse-manifest.ts';

const run = promisify(execFile);
const guard = startProcessGuard();
const limits = { memoryBytes: 192 * 1024 * 1024, cpuSecs: 30 };

let folder: string;
let helm: string;
let starter: HelmStarter;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hand over '));
  ({ helm } = await toolsForTest('helm'));
  starter = createHelmStarter({ binary: helm, guard, limits });
});
afterAll(async () => {
  starter?.[Symbol.dispose]();
  await guard.close();
  await rm(folder, { recursive: true, force: true });
});

async function chartOf(name: string, files: Record<string, string>): Promise<string> {
  const all = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, ...files };
  for (const [file, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name, file)), { recursive: true });
    await writeFile(join(folder, name, file), content);
  }
  return join(folder, name);
}

async function rendered(chart: string, onRendered: OnRendered) {
  const chunks: Buffer[] = [];
  const errors: string[] = [];
  const process = starter.start({
    args: ['template', 'release', chart, '--namespace', 'own', ...handOverArguments],
    folder,
    discoveryCache: folder,
    deadlineMs: 30_000,
    waitSecs: 0,
    onRendered,
    onLine: (_, line) => void errors.push(line),
    onOutput: (chunk) => chunks.push(chunk),
  });
  const { code } = await process.exited;
  return { code, text: Buffer.concat(chunks).toString('utf8'), errors, refusal: process.refusal() };
}

const metadata = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;

/** Forms of YAML that public charts have. */
const forms: Record<string, string> = {
  'twice.yaml': `${metadata('twice')}data: { a: "1" }\ndata: { b: "2" }\n`,
  'list.yaml': `apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: ConfigMap, metadata: { name: in-a-list } }\n`,
  'merged.yaml': `${metadata('merged')}x: &x { a: b }\ndata:\n  <<: *x\n  text: |\n    ---\n    # Source: other\n    ---\n`,
  'scalars.yaml': `${metadata('scalars')}data:
  script: |
      #!/bin/sh

      echo
  folded: >-
    a
    b
  octal: 0o17
  flag: yes
  float: 1e3
  large: 12345678901234567890
  day: 2001-01-01
  time: 12:30:45
  quoted: "\\u00e9\\x41"
  long: ${'word '.repeat(100)}
  none: ~
`,
  'crlf.yaml': `${metadata('crlf')}data:\n  a: |\n    x\n    y\n`.replaceAll('\n', '\r\n'),
  'json.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'json' }, data: { a: 'b\tc' } }),
  'documents.yaml': `---\n# nothing\n---\n${metadata('documents')}...\n---\n`,
  'hook.yaml': `${metadata('hook').replace('hook }', 'hook, annotations: { helm.sh/hook: pre-install } }')}---\n${metadata('beside')}`,
  'mark.yaml': `\ufeff${metadata('mark')}`,
  'other.yaml': metadata('other').replace('other }', 'other, namespace: elsewhere }'),
};

const objectsOf = (text: string) =>
  parseManifest(text)
    .objects.map(({ content }) => JSON.stringify(content))
    .toSorted();

test('handing over does not change the manifests that Helm renders', async () => {
  const files = Object.entries(forms).map(([name, text]) => [`templates/${name}`, text]);
  const chart = await chartOf('forms', Object.fromEntries(files));
  const seen: string[] = [];

  const { code, text } = await rendered(chart, async (manifests) => (seen.push(manifests), null));

  const without = await run(helm, ['template', 'release', chart, '--namespace', 'own'], { env: { HOME: folder } });
  expect(code).toBe(0);
  expect(objectsOf(text)).toEqual(objectsOf(without.stdout));
  expect(seen).toHaveLength(1);
  const names = Object.keys(forms).map((name) => name.replace('.yaml', ''));
  expect(names.filter((name) => !seen[0]?.includes(name === 'list' ? 'in-a-list' : name))).toEqual([]);
});

test('manifests are handed over unchanged in an image whose only program is the shell', async () => {
  const chart = await chartOf('shell-only', {
    'templates/map.yaml': `${metadata('shell')}data: { a: "\\\\n $line %s" }\n`,
  });
  const seen: string[] = [];
  const handOver = createHandOver(async (manifests) => (seen.push(manifests), null));
  const plugins = join(folder, 'plugins-of-an-image');
  await cp(handOver.environment['HELM_PLUGINS'] ?? '', plugins, { recursive: true });
  const script = join(plugins, 'hand-over/hand-over.sh');
  await writeFile(script, (await readFile(script, 'utf8')).replaceAll('/bin/cat', '/no/such/program'));

  const args = ['template', 'release', chart, '--namespace', 'own', ...handOverArguments];
  const env = { HOME: folder, ...handOver.environment, HELM_PLUGINS: plugins };
  const child = spawn(helm, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const socket = child.stdio[3];
  if (socket instanceof Duplex) handOver.over(socket);
  expect(await once(child, 'close')).toEqual([0, null]);

  const without = await run(helm, args.slice(0, 5), { env: { HOME: folder } });
  expect(objectsOf(Buffer.concat(chunks).toString('utf8'))).toEqual(objectsOf(without.stdout));
  expect(seen).toEqual([expect.stringContaining('$line %s')]);
});

test('Helm fails when its manifests are refused, and the refusal is known', async () => {
  const chart = await chartOf('refused', { 'templates/map.yaml': metadata('refused') });

  const { code, text, refusal } = await rendered(chart, () => Promise.reject(new Error('not that')));

  expect(code).toBe(1);
  expect(text).toBe('');
  expect(refusal).toEqual(new Error('not that'));
});

test('a chart cannot print the mark of the end, since it does not know it', async () => {
  const chart = await chartOf('marked', {
    'templates/map.yaml': `${metadata('marked')}data: { a: $BERTH_END_OF_MANIFEST }\n`,
  });
  const seen: string[] = [];

  expect(await rendered(chart, async (manifests) => (seen.push(manifests), null))).toMatchObject({ code: 0 });
  expect(seen[0]).toContain('$BERTH_END_OF_MANIFEST');
});

test('a chart that renders more than can be checked is refused', async () => {
  const chart = await chartOf('large', {
    'templates/map.yaml': `${metadata('large')}data: { a: {{ repeat 9000000 "x" }} }\n`,
  });

  expect(await rendered(chart, async () => null)).toMatchObject({
    code: 1,
    refusal: { message: 'The chart renders more than 8 MiB of manifests' },
  });
});
