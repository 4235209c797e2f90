import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubeconfigReader, type ReadKubeconfigOptions } from './read-kubeconfig.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-kubeconfig-'));
  path = join(folder, 'config');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const readKubeconfig = (options: ReadKubeconfigOptions) => kubeconfigReader(options)();

const write = (user: object, cluster: object = {}) =>
  writeFile(
    path,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
      users: [
        { name: 'u', user },
        { name: 'program', user: { exec: { command: 'aws' } } },
      ],
      contexts: [
        { name: 'first', context: { cluster: 'c', user: 'u' } },
        { name: 'second', context: { cluster: 'c', user: 'program' } },
      ],
    }),
  );

test('every context of a kubeconfig becomes a cluster, a refused one with the reason', async () => {
  await write({ token: 't' });

  expect(await readKubeconfig({ path, contexts: null })).toMatchObject([
    { provider_id: 'kubeconfig:first', name: 'first', refused: null, access: { token: 't' } },
    {
      provider_id: 'kubeconfig:second',
      refused: 'its context in the kubeconfig is refused: the user field exec is not accepted',
      access: null,
    },
  ]);
});

test('only the configured contexts of a kubeconfig are read', async () => {
  await write({ token: 't' });

  const clusters = await readKubeconfig({ path, contexts: ['first', 'missing'] });

  expect(clusters.map(({ name, refused }) => [name, refused])).toEqual([
    ['first', null],
    ['missing', 'its context in the kubeconfig is refused: there is no such context'],
  ]);
});

test('certificate files that a kubeconfig names are read, relative to it', async () => {
  await write({ 'client-certificate': 'tls.crt', 'client-key': join(folder, 'tls.key') });
  await writeFile(join(folder, 'tls.crt'), 'no certificate');

  const [first] = await readKubeconfig({ path, contexts: ['first'] });

  // The error shows that the certificate file was read.
  expect(first?.refused).toContain('client-certificate-data is not base64 of a PEM document');
});

test('a kubeconfig is parsed again only when it, or a certificate file that it names, has changed', async () => {
  await write({ token: 't' }, { 'certificate-authority': 'ca.crt' });
  const read = kubeconfigReader({ path, contexts: null });
  const missing = await read();
  expect(await read()).toBe(missing);

  await writeFile(join(folder, 'ca.crt'), '-----BEGIN CERTIFICATE-----');
  const unreadable = await read();
  expect(unreadable).toMatchObject([{ refused: expect.stringContaining('cannot be read') }, {}]);
  expect(await read()).toBe(unreadable);

  await write({ token: 'another' });
  expect(await read()).toMatchObject([{ access: { token: 'another' } }, {}]);
  await writeFile(path, '- 1');
  await expect(read()).rejects.toThrow('this is not a kubeconfig');
  await write({ token: 'another' });
  expect(await read()).toMatchObject([{ access: { token: 'another' } }, {}]);
});

test('a token file that a kubeconfig names is not read', async () => {
  await write({ tokenFile: join(folder, 'token') });
  await writeFile(join(folder, 'token'), 'abc');

  const [first] = await readKubeconfig({ path, contexts: ['first'] });

  expect(first?.refused).toContain('the user field tokenFile is not accepted');
});

test('a kubeconfig that is missing, empty or invalid is refused', async () => {
  await expect(readKubeconfig({ path, contexts: null })).rejects.toThrow(`${path} cannot be read (ENOENT)`);
  await writeFile(path, '\n');
  await expect(readKubeconfig({ path, contexts: null })).rejects.toThrow(`${path} is empty`);
  await writeFile(path, '- 1');
  await expect(readKubeconfig({ path, contexts: null })).rejects.toThrow('this is not a kubeconfig');
});

test('the name of a context is never cut within a character', async () => {
  const context = { cluster: 'c', user: 'u' };
  const named = (name: string) => writeFile(path, JSON.stringify({ contexts: [{ name, context }] }));

  await named(`${'x'.repeat(99)}🚢`);
  expect(await readKubeconfig({ path, contexts: null })).toMatchObject([{ name: 'x'.repeat(99) }]);

  await named('a\ud83d');
  await expect(readKubeconfig({ path, contexts: null })).rejects.toThrow('contexts.0.name: must be well-formed');
});

test('a program is run only if exec and this program are allowed', async () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/usr/bin/issue' };
  await write({ exec });
  const read = async (commands: string[]) => {
    const [first] = await readKubeconfig({
      path,
      contexts: ['first'],
      allowed: new Set(['exec']),
      commands: new Set(commands),
    });
    return first;
  };

  expect(await read(['/usr/bin/issue'])).toMatchObject({
    refused: null,
    token: { source: expect.stringContaining('program ') },
  });
  for (const other of [[], ['/usr/bin/other'], ['issue'], ['/usr/bin/']]) {
    expect(await read(other)).toMatchObject({
      access: null,
      refused: expect.stringContaining('is not one of CLUSTER_KUBECONFIG_EXEC_COMMANDS'),
    });
  }
});
