import { readFile, writeFile } from 'node:fs/promises';
import { unwrap, waitUntil } from '@berth/client';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import type { Grounds } from '../grounds/grounds.ts';
import { createBerth } from '../grounds/run-berth.ts';

const where = ['-e', 'clients'];

/** `--cluster` and `--move`, in an env with two clusters. */
export function testMoving(grounds: () => Grounds): void {
  describe('berth, with two clusters', () => {
    /** The same API server under another context, which is another cluster to Berth. */
    async function addCluster(): Promise<string> {
      const { platform, sample } = grounds();
      const { kubeconfigFile, cluster } = platform.stack;
      const config = new KubeConfig();
      config.loadFromFile(kubeconfigFile);
      const present = config.getContextObject(cluster);
      if (!present) throw new Error(`the kubeconfig has no context ${cluster}`);
      config.contexts = [...config.contexts, { ...present, name: 'second' }];
      await writeFile(kubeconfigFile, config.exportConfig());
      const { id } = await waitUntil(
        async () => unwrap(await platform.admin.k8sClusters.list({ query: { name: 'second' } })).items[0],
        { what: 'the second cluster', withinMs: 60_000 },
      );
      unwrap(await platform.admin.k8sClusters.update({ id, body: { env_id: sample.cluster.env_id } }));
      return id;
    }

    test('another cluster is another deployment, unless --move moves the one that is there', async () => {
      const { platform, program, sample } = grounds();
      const kubeconfig = await readFile(platform.stack.kubeconfigFile, 'utf8');
      const second = await addCluster();
      const env = { BERTH_URL: platform.stack.url, BERTH_TOKEN: platform.adminToken };
      const berth = createBerth(program, env, grounds().written);
      const deploy = [
        'deploy',
        'mover',
        ...where,
        '--chart',
        'HelloWeb@1.0.0',
        '--set',
        'greeting=Hi',
        '--set',
        'replicas=1',
      ];
      const clusterIds = async () => {
        const { out } = await berth([
          'get',
          'deployments',
          ...where,
          '--filter',
          'name=mover',
          '-o',
          'jsonpath={.cluster_id}',
        ]);
        return out.trim().split('\n');
      };

      expect(await berth(deploy)).toMatchObject({ code: 2, err: expect.stringContaining('second') });
      expect(await berth([...deploy, '--cluster', 'nowhere'])).toMatchObject({ code: 3 });
      expect(await berth([...deploy, '--cluster', sample.cluster.name, '--wait'])).toMatchObject({ code: 0 });
      const moved = [...deploy, '--cluster', 'second', '--move'];
      expect(await berth([...moved, '--plan'])).toMatchObject({ code: 0, out: expect.stringContaining('tasks') });
      expect(await clusterIds()).toEqual([sample.cluster.id]);
      expect(await berth([...moved, '--wait'])).toMatchObject({ code: 0, out: expect.stringMatching(/^task\//) });
      expect(await clusterIds()).toEqual([second]);
      expect(await berth([...moved, '--wait'])).toMatchObject({
        code: 0,
        out: '',
        err: expect.stringContaining('already'),
      });

      expect(await berth(['delete', 'deployment', 'mover', ...where, '--yes'])).toMatchObject({ code: 0 });
      expect(await berth(['set', 'cluster', 'second', '--ignore'])).toMatchObject({ code: 0 });
      await writeFile(platform.stack.kubeconfigFile, kubeconfig);
    });
  });
}
