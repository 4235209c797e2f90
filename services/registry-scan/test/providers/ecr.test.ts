import { describe, expect, onTestFinished, test } from 'vitest';
import { EcrSettings } from '../../src/providers/ecr/ecr-provider.ts';
import { scanRegistry } from '../../src/scan/scan-registry.ts';
import { account, ecrInTest, region } from '../support/ecr-in-test.ts';
import { registryInTest, summary, web } from '../support/registry-in-test.ts';

const signal = () => AbortSignal.timeout(60_000);

describe('a registry of ECR', () => {
  const { charts, registries, service } = registryInTest();
  const { startEcr: start } = ecrInTest();

  async function startEcr() {
    const started = await start();
    return { ...started, scan: () => scanRegistry(service().scan, started.registry, signal()) };
  }

  test('is listed by its API, and its charts are pulled with its token', async () => {
    const { push, repositoryName, scan } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));

    expect(await scan()).toMatchObject({ failed: 0 });

    expect(summary(await charts())).toEqual(['1.0.0 true', '2.0.0 true']);
    expect(await registries()).toMatchObject([
      {
        domain_name: `${account}.dkr.ecr.${region}.amazonaws.com`,
        repo_name: repositoryName,
        provider: 'Ecr',
      },
    ]);
  });

  test('costs a request for its repositories and one for each of them in an unchanged round', async () => {
    const { push, scan, statuses, storage } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));
    await scan();
    statuses.length = 0;
    const pulled = storage.requests.length;

    expect(await scan()).toMatchObject({ changed: 0 });

    expect(statuses).toEqual([200, 200]);
    expect(storage.requests).toHaveLength(pulled);
  });

  test('shows moved and deleted tags at the next poll', async () => {
    const { push, scan, untag } = await startEcr();
    await push('1.0.0', await web());
    await push('2.0.0', await web('2.0.0'));
    await scan();

    await push('1.0.0', await web('1.0.0', { 'README.md': 'moved' }));
    await untag('2.0.0');
    await scan();

    expect(summary(await charts()).toSorted()).toEqual(['1.0.0 false', '1.0.0 true', '2.0.0 false']);
  });

  test('has no tags where a repository is missing', async () => {
    const { client } = await startEcr();

    expect(await client.tags('charts/none', signal())).toBeNull();
  });

  test('is asked for a token only after a refusal, and the token serves the requests after it', async () => {
    const { push, scan, statuses } = await startEcr();
    for (const tag of ['1.0.0', '2.0.0', '3.0.0']) await push(tag, await web(tag));

    await scan();

    // Repositories and tags; each manifest and package, some of them refused before a token was known.
    const refused = statuses.filter((status) => status === 401).length;
    const tokens = statuses.filter((status) => status === 200).length - (2 + 6);
    expect(refused).toBeGreaterThanOrEqual(1);
    expect(refused).toBeLessThanOrEqual(3);
    // The tokens of the stand-in ended in 2015, so refusals that are not answered together ask for one each.
    expect(tokens).toBeGreaterThanOrEqual(1);
    expect(tokens).toBeLessThanOrEqual(refused);
  });

  test('refuses to move an immutable tag, and the chart stays as it is beside new tags', async () => {
    const { push, registry } = await start({}, { fields: { imageTagMutability: 'IMMUTABLE' } });
    await push('1.0.0', await web());
    await scanRegistry(service().scan, registry, signal());
    const [before] = await charts();

    await expect(push('1.0.0', await web('1.0.0', { 'README.md': 'moved' }))).rejects.toMatchObject({
      name: expect.stringMatching(/AlreadyExistsException$/),
    });
    await push('2.0.0', await web('2.0.0'));
    await scanRegistry(service().scan, registry, signal());

    const after = await charts();
    expect(summary(after)).toEqual(['1.0.0 true', '2.0.0 true']);
    expect(after[0]).toEqual(before);
  });

  test('of another account is listed with the rights that its policies give, and pulled with the own token', async () => {
    const other = await start({}, { account: '210987654321' });
    const own = await start();
    await other.push('1.0.0', await web());
    await own.push('2.0.0', await web('2.0.0'));

    for (const { registry } of [own, other]) await scanRegistry(service().scan, registry, signal());

    const found = (await registries()).map(({ domain_name, repo_name }) => `${domain_name}/${repo_name}`);
    expect(found.toSorted()).toEqual(
      [own, other].map(({ registry, repositoryName }) => `${registry.source.domain}/${repositoryName}`).toSorted(),
    );
    expect(summary(await charts())).toEqual(['1.0.0 true', '2.0.0 true']);
  });

  test('that does not answer is an outage, and changes nothing', async () => {
    const { client, push, scan } = await startEcr();
    await push('1.0.0', await web());
    await scan();
    const { AWS_ENDPOINT_URL } = process.env;
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:9';
    onTestFinished(() => {
      Object.assign(process.env, { AWS_ENDPOINT_URL });
    });
    const { connect } = EcrSettings.parse({
      type: 'ecr',
      url: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
    });
    using unreachable = connect({ readCredentials: async () => null, onRequest: () => undefined });

    await expect(unreachable.repositories(undefined, signal())).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(unreachable.tags('charts/web', signal())).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await client.repositories(undefined, signal())).toHaveLength(1);
    expect(summary(await charts())).toEqual(['1.0.0 true']);
  });
});

const url = `https://${account}.dkr.ecr.${region}.amazonaws.com`;
const queues = `https://sqs.${region}.amazonaws.com/${account}`;

test.for([
  ['a host of another service', { url: 'https://registry.example.com' }, /must be https:\/\/<account>/],
  ['a path', { url: `https://${account}.dkr.ecr.${region}.amazonaws.com/x` }, /must be https:\/\/<account>/],
  [
    'a queue of events alone',
    { url, events_queue: `${queues}/events` },
    /dead_letter_queue.*is required with events_queue/s,
  ],
  [
    'a queue without TLS',
    { url, events_queue: 'http://sqs.example.com/1/e', dead_letter_queue: 'http://sqs.example.com/1/d' },
    /events_queue.*must be https/s,
  ],
  [
    'one queue for events and dead letters',
    { url, events_queue: `${queues}/events`, dead_letter_queue: `${queues}/events` },
    /must be another queue/,
  ],
  [
    'dead letters elsewhere',
    { url, events_queue: `${queues}/events`, dead_letter_queue: 'https://elsewhere.example/1/d' },
    /must be in the region of events_queue/,
  ],
  ['credentials of its own', { url, credentials_file: '/c' }, /must be absent/],
] as const)('a registry of ECR is not configured with %s', ([, settings, words]) => {
  expect(() => EcrSettings.parse({ type: 'ecr', ...settings })).toThrow(words);
});
