import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { registryInTest, web } from '../support/registry-in-test.ts';

const { charts, makeRechecksDue, registry, server, service } = registryInTest();

const repositories = 120;
/** Short enough that the pauses of a round do not count. */
const pollIntervalMs = 1_000;
const scan = () =>
  scanRegistry(
    service().scan,
    { ...registry(), source: { ...registry().source, pollIntervalMs } },
    AbortSignal.timeout(120_000),
  );

test('a round over many unchanged repositories costs one request for each, even while rechecks are due', async () => {
  const archive = await web();
  for (let at = 0; at < repositories; at += 1) {
    for (const tag of ['1.0.0', '2.0.0']) server().push(`charts/web-${at}`, tag, archive);
  }
  await scan();
  expect(await charts()).toHaveLength(50);
  await makeRechecksDue();
  const before = server().requests.length;

  const { changed } = await scan();

  const lines = server()
    .requests.slice(before)
    .map(({ line }) => line.replace(/(web-\d+\/(?:tags|manifests)).*/, '$1'));
  const ofRepositories = lines.filter((line) => line.includes('web-'));
  expect(changed).toBe(0);
  expect(lines).toHaveLength(repositories + 1);
  expect(new Set(ofRepositories).size).toBe(repositories);
  // One repository in four had a known tag checked instead of its tags listed.
  expect(ofRepositories.filter((line) => line.startsWith('HEAD'))).toHaveLength(repositories / 4);
});

test('a moved tag in one of many repositories is found after some rounds', async () => {
  const archive = await web();
  for (let at = 0; at < repositories; at += 1) server().push(`charts/web-${at}`, '1.0.0', archive);
  await scan();
  const { digest } = server().push('charts/web-7', '1.0.0', await web('1.0.0', { 'README.md': 'moved' }));
  await makeRechecksDue();

  await expect
    .poll(async () => {
      await scan();
      return service().db.exists(sql.unsafe`select from helm_charts where image_digest = ${digest}`);
    })
    .toBe(true);
});

test('a registry that limits requests is left alone after a few of them', async () => {
  const archive = await web();
  for (let at = 0; at < repositories; at += 1) server().push(`charts/web-${at}`, '1.0.0', archive);
  server().misbehave((request, response) =>
    request.url?.includes('tags') ? void response.writeHead(429, { 'retry-after': '0' }).end() : false,
  );

  await expect(scan()).rejects.toThrow('answered 429');

  const repositoriesTried = new Set(server().requests.flatMap(({ line }) => /web-\d+/.exec(line) ?? []));
  expect(repositoriesTried.size).toBeLessThan(10);
});
