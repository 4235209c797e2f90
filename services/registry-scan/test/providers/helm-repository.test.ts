import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificates } from '@berth/devstack/servers/kubernetes/certificates';
import { digestOf } from '@berth/bus/objects/digest-of';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';
import { chartArchives } from '@berth/contracts/resources/charts/chart-archives';
import { expect, onTestFinished, test } from 'vitest';
import { summary, web } from '../support/registry-in-test.ts';
import { scannedIndex } from '../support/scanned-index.ts';

const { charts, makeRechecksDue, other, registries, scan, server, service } = scannedIndex();

const requestsSince = (count: number) =>
  server()
    .requests.slice(count)
    .map(({ line, status }) => `${line} ${status}`);
const errors = async () => (await charts()).map(({ image_tag, error }) => `${image_tag}: ${error}`);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-index-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('each chart of a chart repository is a repository with its kind, and each version a tag', async () => {
  const digest = server().add('big-web', '1.0.0', await web());
  server().add('big-web', '1.1.0+build.5', await web('1.1.0+build.5'));

  await scan();

  const domain = `${new URL(server().origin).host}/stable`;
  expect(await registries()).toMatchObject([{ domain_name: domain, repo_name: 'big-web', provider: 'HelmRepo' }]);
  expect(await charts()).toMatchObject([
    { image_tag: '1.0.0', image_digest: digest, available: true, error: null, parsed_version: '1.0.0' },
    { image_tag: '1.1.0+build.5', available: true, error: null, parsed_version: '1.1.0+build.5' },
  ]);
});

test('a chart of apiVersion v1 with a requirements.yaml is catalogued', async () => {
  const files = { 'Chart.yaml': chartYaml({ apiVersion: 'v1' }), 'requirements.yaml': 'dependencies: []' };
  server().add('web', '1.2.3', await chartTgz(files));

  await scan();

  expect(await charts()).toMatchObject([{ image_tag: '1.2.3', error: null, parsed_version: '1.2.3' }]);
});

test('an unchanged round costs one conditional request and reads nothing', async () => {
  server().add('web', '1.0.0', await web());
  await scan();
  const before = server().requests.length;

  expect(await scan()).toMatchObject({ changed: 0, failed: 0 });

  expect(requestsSince(before)).toEqual(['GET /stable/index.yaml 304']);
});

test('an unchanged round of a repository without ETags costs one request', async () => {
  server().sendEtags(false);
  server().add('web', '1.0.0', await web());
  await scan();
  const before = server().requests.length;

  expect(await scan()).toMatchObject({ repositories: 0 });

  expect(requestsSince(before)).toEqual(['GET /stable/index.yaml 200']);
});

test('new, changed and deleted versions are found by the next round, and no other package is fetched', async () => {
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) server().add('web', version, await web(version));
  await scan();
  const before = server().requests.length;
  server().remove('web', '1.0.0');
  server().add('web', '2.0.0', await web('2.0.0', { 'README.md': 'changed' }));
  server().add('web', '4.0.0', await web('4.0.0'));

  await scan();

  expect(summary(await charts()).toSorted()).toEqual([
    '1.0.0 false',
    '2.0.0 false',
    '2.0.0 true',
    '3.0.0 true',
    '4.0.0 true',
  ]);
  expect(requestsSince(before).toSorted()).toEqual([
    'GET /stable/charts/web-2.0.0.tgz 200',
    'GET /stable/charts/web-4.0.0.tgz 200',
    'GET /stable/index.yaml 200',
  ]);
});

test('a chart that left the index is unavailable, and available again when it is back', async () => {
  server().add('web', '1.0.0', await web());
  server().add('other', '1.0.0', await web('1.0.0', { 'README.md': 'other' }));
  await scan();
  server().remove('web', '1.0.0');
  await scan();
  expect(summary(await charts())).toEqual(expect.arrayContaining(['1.0.0 false', '1.0.0 true']));
  expect((await registries()).find(({ repo_name }) => repo_name === 'web')).toMatchObject({ available: false });

  server().add('web', '1.0.0', await web());
  await scan();

  expect(summary(await charts())).toEqual(['1.0.0 true', '1.0.0 true']);
});

test.for<[string, (response: ServerResponse) => void]>([
  ['answers 503', (response) => void response.writeHead(503, { 'retry-after': '0' }).end()],
  ['answers 404', (response) => void response.writeHead(404).end()],
  ['refuses access', (response) => void response.writeHead(403).end()],
  ['answers the page of a proxy', (response) => void response.end('<html>\n')],
  ['answers nothing', (response) => void response.end()],
  ['sends half an index', (response) => void response.writeHead(200, { 'content-length': 999 }).end('entries: {}\n')],
  ['redirects without end', (response) => void response.writeHead(302, { location: '/stable/index.yaml' }).end()],
  [
    'redirects to the metadata service',
    (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  ],
])('charts stay available if the repository %s', async ([, answer]) => {
  server().add('web', '1.0.0', await web());
  await scan();
  server().misbehave((_, response) => answer(response));

  await expect(scan()).rejects.toBeInstanceOf(Error);

  expect(summary(await charts())).toEqual(['1.0.0 true']);
});

test('a package is fetched from another host, which gets no credentials', async () => {
  const folder = await temporaryFolder();
  const credentials_file = join(folder, 'credentials.json');
  await writeFile(credentials_file, JSON.stringify({ username: 'ada', password: 'canary' }));
  await using storage = await other({});
  await using repository = await other({ source: { credentials_file } });
  const archive = await web();
  storage.server.add('web', '1.0.0', archive);
  const here = await web('2.0.0');
  repository.server.add('web', '1.0.0', archive, { urls: [`${storage.server.origin}/stable/charts/web-1.0.0.tgz`] });
  repository.server.add('web', '2.0.0', here);

  await repository.scan();

  expect(summary(await charts())).toEqual(['1.0.0 true', '2.0.0 true']);
  const basic = `Basic ${Buffer.from('ada:canary').toString('base64')}`;
  expect(storage.server.requests).toMatchObject([{ authorization: undefined }]);
  expect(repository.server.requests.map(({ authorization }) => authorization)).toEqual([basic, basic]);
});

test('a private certificate authority is trusted if its certificate is configured', async () => {
  const { server: files, pem } = await ensureCertificates(await temporaryFolder());
  const [cert, key] = await Promise.all([readFile(files.certificate, 'utf8'), readFile(files.key, 'utf8')]);
  const ca_file = join(await temporaryFolder(), 'ca.pem');
  await writeFile(ca_file, pem.authority);
  await using strict = await other({ tls: { cert, key } });
  await using trusting = await other({ tls: { cert, key }, source: { ca_file } });
  trusting.server.add('web', '1.0.0', await web());

  await expect(strict.scan()).rejects.toThrow('does not answer');
  await trusting.scan();

  expect(summary(await charts())).toEqual(['1.0.0 true']);
});

test.for<[string, string[], RegExp]>([
  ['at the metadata service', ['http://169.254.169.254/latest'], /not allowed/],
  ['at another address of this machine', ['http://127.0.0.2:9/web.tgz'], /not allowed/],
  ['in a file', ['file:///etc/passwd'], /the package is at file:/],
  ['in an OCI registry', ['oci://registry.example.com/charts/web:1.0.0'], /configure that registry beside this one/],
])('a chart whose package is %s is not read, and hides no other', async ([, urls, words]) => {
  server().add('web', '1.0.0', await web(), { urls });
  server().add('web', '2.0.0', await web('2.0.0'));

  const { failure } = await scan();

  const seen = [...(await errors()), failure instanceof Error ? failure.message : ''].join('\n');
  expect(seen).toMatch(words);
  expect(seen).toContain('2.0.0: null');
});

test('a package that does not match the digest of the index makes a broken chart', async () => {
  server().add('web', '1.0.0', await web(), { digest: digestOf(Buffer.from('other')) });

  await scan();

  expect(await errors()).toEqual(['1.0.0: the package that the registry sends does not match its digest']);
});

test('a package that is missing makes a broken chart', async () => {
  server().add('web', '1.0.0', await web(), { urls: ['none.tgz'] });

  await scan();

  expect(await errors()).toEqual(['1.0.0: the registry does not have the package that it names']);
});

test('without a digest in the index a version is known by its package', async () => {
  const archive = await web();
  server().add('web', '1.0.0', archive, { digest: undefined });

  await scan();

  expect(await charts()).toMatchObject([{ image_tag: '1.0.0', image_digest: digestOf(archive), error: null }]);
});

test.for<[string, boolean, string]>([
  ['whose packages have ETags costs one conditional request for each', true, '304'],
  ['whose packages have neither ETag nor date costs a download of each', false, '200'],
])('a recheck of versions without digests %s', async ([, hasEtags, status]) => {
  server().sendEtags(hasEtags);
  for (const version of ['1.0.0', '2.0.0']) server().add('web', version, await web(version), { digest: undefined });
  await scan();
  await makeRechecksDue();
  server().add('other', '1.0.0', await web('1.0.0', { 'README.md': 'other' }));
  const before = server().requests.length;

  await scan();

  const packages = requestsSince(before).filter((line) => line.includes('/charts/web-'));
  expect(packages.toSorted()).toEqual([
    `GET /stable/charts/web-1.0.0.tgz ${status}`,
    `GET /stable/charts/web-2.0.0.tgz ${status}`,
  ]);
});

test('a version without a digest whose package was replaced is found by its recheck', async () => {
  server().add('web', '1.0.0', await web(), { digest: undefined });
  await scan();
  await makeRechecksDue();
  const replaced = await web('1.0.0', { 'README.md': 'replaced' });
  server().add('web', '1.0.0', replaced, { digest: undefined, more: ['appVersion: "2"'] });

  await scan();

  const available = (await charts()).filter((chart) => chart.available);
  expect(available).toMatchObject([{ image_tag: '1.0.0', image_digest: digestOf(replaced) }]);
});

test('a lost package is fetched again from where the index named it, even if it has left the index', async () => {
  const archive = await chartTgz({ 'Chart.yaml': chartYaml(), random: crypto.randomUUID() });
  const digest = server().add('web', '1.0.0', archive);
  const deps = service().scan;
  await scan({ ...deps, fetching: { ...deps.fetching, objects: { put: async () => undefined } } });
  server().remove('web', '1.0.0');
  server().add('web', '2.0.0', await web('2.0.0'));
  await scan();
  expect(await service().bus.objects.get(digest)).toBeNull();
  const chart = (await charts()).find(({ image_tag }) => image_tag === '1.0.0');

  const { ensure } = chartArchives.operations;
  const answer = await service().callers.tasks.call(ensure, { body: { helm_chart_id: chart?.id ?? '' } });

  expect(answer).toEqual({ digest });
  expect(Buffer.from((await service().bus.objects.get(digest)) ?? [])).toEqual(archive);
});
