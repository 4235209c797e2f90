import { silentLog } from '@berth/testing/test-bus';
import { expect, test, vi } from 'vitest';
import type { ProbeResult } from '../clusters/cluster-health.ts';
import { createClusterDirectory } from './cluster-directory.ts';
import { discoverClusters } from './discover-clusters.ts';
import type { NewCluster } from '../clusters/new-cluster.ts';
import type { FoundClusters, ReachableCluster } from '../providers/cluster-provider.ts';

const reachable = (name: string, port: number): ReachableCluster => ({
  provider_id: `kubeconfig:${name}`,
  name,
  region_name: 'kubeconfig',
  refused: null,
  access: { server: `https://127.0.0.1:${port}`, ca: null, token: 't', certificate: null },
});

function setUp(read: () => Promise<ReachableCluster[]>, unread: FoundClusters['unread'] = []) {
  const rows = new Map<string, NewCluster & { id: string }>();
  const results: [string, ProbeResult][] = [];
  const directory = createClusterDirectory();
  const clusterRepository = {
    ofProvider: async () => [...rows.values()],
    upsert: async (cluster: NewCluster) => {
      rows.set(cluster.provider_id, { ...cluster, id: `id of ${cluster.name}` });
    },
    recordProbe: async (id: string, result: ProbeResult) => {
      results.push([id, result]);
    },
  };
  const provider = {
    source: 'the kubeconfig',
    prefix: 'kubeconfig:',
    everyMs: 1,
    find: async () => ({ clusters: await read(), unread }),
  };
  const discovery = discoverClusters({ clusterRepository, directory, log: silentLog, ignoreNew: true }, provider);
  const discover = () => discovery(new AbortController().signal);
  const serverOf = (name: string) => directory.connectionTo(`kubeconfig:${name}`)?.access.server;
  return { discover, directory, rows, results, serverOf };
}

test('a cluster that moved gets a new connection, and others keep theirs', async () => {
  const read = vi.fn<() => Promise<ReachableCluster[]>>();
  const { discover, directory, serverOf } = setUp(read);
  using _ = directory;
  read.mockResolvedValueOnce([reachable('a', 1), reachable('b', 2)]);
  await discover();
  const before = directory.connectionTo('kubeconfig:b');

  read.mockResolvedValueOnce([reachable('a', 7), reachable('b', 2)]);
  await discover();

  expect(serverOf('a')).toBe('https://127.0.0.1:7');
  expect(directory.connectionTo('kubeconfig:b')).toBe(before);
});

test('a refused cluster gets a row and its reason in one discovery', async () => {
  const refused = { ...reachable('a', 1), access: null, refused: 'exec is not accepted' };
  const { discover, directory, rows, results } = setUp(async () => [refused]);
  using _ = directory;

  await discover();

  expect([...rows.values()]).toMatchObject([{ name: 'a', ignore: true }]);
  expect(results).toEqual([['id of a', { kind: 'unusable', reason: 'exec is not accepted' }]]);
  expect(directory.connectionTo('kubeconfig:a')).toBeUndefined();
});

test('a cluster that vanished from the kubeconfig loses its connection and gets the reason', async () => {
  const read = vi.fn<() => Promise<ReachableCluster[]>>();
  const { discover, directory, results } = setUp(read);
  using _ = directory;
  read.mockResolvedValueOnce([reachable('a', 1)]);
  await discover();

  read.mockResolvedValueOnce([]);
  await discover();

  expect(directory.connectionTo('kubeconfig:a')).toBeUndefined();
  expect(results).toEqual([['id of a', { kind: 'unusable', reason: 'it is no longer in the kubeconfig' }]]);
});

test('a kubeconfig that cannot be read does not change clusters', async () => {
  const read = vi.fn<() => Promise<ReachableCluster[]>>();
  const { discover, directory, results, serverOf } = setUp(read);
  using _ = directory;
  read.mockResolvedValueOnce([reachable('a', 1)]);
  await discover();

  read.mockRejectedValueOnce(new Error('the kubeconfig is not valid YAML'));
  await discover();

  expect(serverOf('a')).toBe('https://127.0.0.1:1');
  expect(results).toEqual([]);
});

test('clusters in an unreadable part of a source keep their connections, others change', async () => {
  const read = vi.fn<() => Promise<ReachableCluster[]>>();
  const { discover, directory, results, serverOf } = setUp(read, [{ prefix: 'kubeconfig:a', reason: 'no answer' }]);
  using _ = directory;
  read.mockResolvedValueOnce([reachable('a', 1), reachable('b', 2)]);
  await discover();

  read.mockResolvedValueOnce([]);
  await discover();

  expect(serverOf('a')).toBe('https://127.0.0.1:1');
  expect(serverOf('b')).toBeUndefined();
  expect(results).toEqual([['id of b', { kind: 'unusable', reason: 'it is no longer in the kubeconfig' }]]);
});

test('a provider does not change clusters of another provider', async () => {
  const { discover, directory } = setUp(async () => []);
  using _ = directory;
  const other = { ...reachable('a', 1), provider_id: 'secret:one/a' };
  directory.replace('secret:', { clusters: [other], unread: [] });

  await discover();

  expect(directory.connectionTo('secret:one/a')).toBeDefined();
});

test('a new token keeps the connection, and a new source of tokens makes a new one', async () => {
  const directory = createClusterDirectory();
  using _ = directory;
  const withToken = (source: string, token: string) => ({
    clusters: [{ ...reachable('a', 1), token: { source, current: async () => ({ token, expiresAt: '' }) } }],
    unread: [],
  });
  const connection = () => directory.connectionTo('kubeconfig:a');
  directory.replace('kubeconfig:', withToken('file one', 'first'));
  const before = connection();

  directory.replace('kubeconfig:', withToken('file one', 'second'));
  expect(connection()).toBe(before);
  directory.replace('kubeconfig:', withToken('file two', 'second'));
  expect(connection()).not.toBe(before);
});
