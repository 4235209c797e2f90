import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRegistry } from '@berth/devstack';
import { serverStart, toolsForTest } from '@berth/devstack/testing/with-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Manifest, manifestsOf, podOf, root } from '../support/helm-in-test.ts';

const run = promisify(execFile);

const page = await readFile(new URL('docs/air-gap.md', root), 'utf8');
const [outside = '', inside = '', install = ''] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, commands = '']) => commands,
);
const [, values = ''] = /```yaml\n# air-gap\/values\.yaml\n(.*?)```/s.exec(page) ?? [];

const internal = 'registry.internal.example';
let folder: string;
let copied: string[];
let manifests: Manifest[];
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-air-gap-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { helm, registry: program } = await toolsForTest('helm', 'registry');
  const start = stack.use(await serverStart());
  const registry = await startRegistry({ ...start, program });
  stack.defer(() => registry.stop());
  await writeFile(join(folder, 'values.yaml'), values);

  // The registry of the test speaks plain HTTP, and a rendering shows what an installation would apply.
  const replaced = (commands: string) =>
    commands
      .replace(`REGISTRY=${internal}`, `REGISTRY=${registry.address}`)
      .replace('npm run images', 'true')
      .replace('helm push', 'helm push --plain-http')
      .replace('helm install', 'helm template --plain-http')
      .replace('air-gap/values.yaml', join(folder, 'values.yaml'))
      .replaceAll('dist/berth', join(folder, 'berth'))
      .replace('--destination dist', `--destination ${folder}`);
  const commands = [
    'set -eu',
    `skopeo() { echo "$3" >> ${folder}/copied; }`,
    ...[outside, inside].map((some) => `{ ${replaced(some)}} >&2`),
    replaced(install),
  ];
  const env = { HOME: folder, PATH: `${dirname(helm)}:/usr/bin:/bin` };
  const options = { cwd: fileURLToPath(root), env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run('/bin/sh', ['-c', commands.join('\n')], options);

  manifests = manifestsOf(stdout);
  const destinations = (await readFile(join(folder, 'copied'), 'utf8')).trim().split('\n');
  copied = destinations.map((one) => one.replace(`docker://${registry.address}`, internal));
}, 20 * 60_000);
afterAll(() => stack.disposeAsync());

const Image = z.object({ image: z.string() });

test('the images that the page copies are those of all pods', () => {
  const images = manifests.flatMap((manifest) => {
    const pod = podOf(manifest);
    return [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(
      (container) => Image.parse(container).image,
    );
  });

  expect(copied).toHaveLength(6);
  expect([...new Set(images)].toSorted()).toEqual(copied.toSorted());
});

test('nothing names a host outside', () => {
  const hosts = [...JSON.stringify(manifests).matchAll(/\b(?:https?|nats|tls|postgres):\/\/([a-zA-Z0-9.-]+)/g)].map(
    ([, host = '']) => host,
  );

  expect(hosts).toContain(internal);
  expect(hosts.filter((host) => !host.endsWith('.internal.example') && !host.startsWith('berth-'))).toEqual([]);
});
