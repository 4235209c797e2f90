import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { callerNames } from '@berth/contracts/definition/contract';
import { startRegistry } from '@berth/devstack';
import { writeImage } from '@berth/devstack/servers/real-node/write-image';
import { serverStart, toolsForTest } from '@berth/devstack/testing/with-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chart, manifestsOf, podOf, root } from '../support/helm-in-test.ts';

const run = promisify(execFile);

const page = await readFile(new URL('docs/supply-chain.md', root), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
const [keys = '', sign = '', verify = '', install = ''] = blocks('sh');

/** Also where Go puts what it installs. */
const path = `${process.env['PATH']}:${process.env['HOME']}/go/bin`;
const missing = (
  await Promise.all(
    ['cosign', 'skopeo', 'jq'].map((program) =>
      run('/bin/sh', ['-c', `command -v ${program}`], { env: { PATH: path } }).then(
        () => [],
        () => [program],
      ),
    ),
  )
).flat();
if (missing.length > 0)
  console.warn(
    `left out: the commands of docs/supply-chain.md, since ${missing.join(', ')} is not here; the page says how to get it`,
  );

describe.skipIf(missing.length > 0)('by the commands of docs/supply-chain.md', () => {
  let folder: string;
  let repository: string;
  const stack = new AsyncDisposableStack();
  const shell = async (commands: string, at = folder) => {
    const { helm } = await toolsForTest('helm');
    const env = { HOME: at, PATH: `${dirname(helm)}:${path}`, COSIGN_PASSWORD: 'of the test' };
    const here = commands
      .replaceAll('registry.example.com/berth', repository)
      // The registry of the test speaks plain HTTP.
      .replaceAll('skopeo inspect', 'skopeo inspect --tls-verify=false')
      .replace('helm install', 'helm template --plain-http');
    return (await run('/bin/bash', ['-o', 'pipefail', '-c', here], { cwd: at, env, timeout: 120_000 })).stdout;
  };
  /** An image that differs from those of other words. */
  const push = async (name: string, words: string, tag = '0.1.0') => {
    const files = join(folder, 'files', name, words);
    await mkdir(files, { recursive: true });
    await writeFile(join(files, 'words'), words);
    const signal = AbortSignal.timeout(60_000);
    const archive = await writeImage({ name: `${name}-${words}`, root: files, entrypoint: ['/words'], folder, signal });
    await shell(
      `skopeo copy --dest-tls-verify=false oci-archive:${archive} docker://${repository}/berth-${name}:${tag}`,
    );
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-supply-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const { registry: program } = await toolsForTest('registry');
    const registry = await startRegistry({ ...stack.use(await serverStart()), program });
    stack.defer(() => registry.stop());
    repository = `${registry.address}/berth`;
    await mkdir(join(folder, 'dist/images'), { recursive: true });
    for (const name of callerNames) {
      await push(name, 'ours');
      const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ type: 'library', name }] };
      await writeFile(join(folder, `dist/images/berth-${name}.cdx.json`), JSON.stringify(bill));
    }
    await shell(`helm package ${chart} --destination . && helm push --plain-http berth-0.1.0.tgz oci://${repository}`);
    await shell(keys);
    await shell(sign);
  }, 20 * 60_000);
  afterAll(() => stack.disposeAsync());

  test('what was signed is installed by its digests, with its attested lists of packages', async () => {
    await shell(verify);

    const values = { auth: { oidc: { issuer: 'https://id.example.com', existingSecret: 'oidc' } } };
    const global = { trial: true, ownUrl: 'https://berth.example.com', image: { registry: repository } };
    const bundled = { postgresql: { bundled: true }, nats: { bundled: true } };
    await writeFile(join(folder, 'values.yaml'), JSON.stringify({ ...values, global: { ...global, ...bundled } }));
    const manifests = manifestsOf(await shell(`REGISTRY=${repository}\n${install}`));
    const images = manifests.flatMap((one) => (one.kind === 'Deployment' ? podOf(one)?.containers : []) ?? []);
    expect(images).toHaveLength(6);
    for (const image of images)
      expect(image).toMatchObject({ image: expect.stringMatching(new RegExp(`^${repository}/berth-[a-z-]+@sha256:`)) });
    const attested = JSON.parse(await readFile(join(folder, 'berth-auth.cdx.json'), 'utf8'));
    expect(attested).toMatchObject({ components: [{ name: 'auth' }] });
  });

  test('another key verifies nothing', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await shell(keys, other);

    await expect(shell(verify, other)).rejects.toThrow(/no matching signatures|invalid signature/i);
  });

  test('an image that was replaced under its tag, or has no attestation, is refused, and no digests are written', async () => {
    const fresh = join(folder, 'fresh');
    await mkdir(fresh);
    await shell(`cp ${folder}/cosign.pub ${folder}/cosign.key .`, fresh);
    await push('tasks', 'replaced');

    await expect(shell(verify, fresh)).rejects.toThrow(/no signatures found/i);

    const signed = `cosign sign --key cosign.key $OFFLINE ${repository}/berth-tasks@$(digest ${repository}/berth-tasks:0.1.0)`;
    const [preamble = ''] = sign.split('\nfor name');
    await shell(`${preamble}\n${signed}`, fresh);
    await expect(shell(verify, fresh)).rejects.toThrow(/no (matching )?attestations/i);
    await expect(readFile(join(fresh, 'digests.yaml'))).rejects.toThrow('ENOENT');
  });
});

test('the page has the blocks that its test runs', () => {
  expect(keys).toContain('generate-key-pair');
  expect(sign).toContain('cosign attest');
  expect(verify).toContain('verify-attestation');
  expect(install).toContain('digests.yaml');
});
