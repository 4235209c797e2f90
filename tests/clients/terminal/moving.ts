import { readFile, writeFile } from 'node:fs/promises';
import { unwrap, waitUntil } from '@berth/client';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, describe, expect, test } from 'vitest';
import type { Grounds } from '../grounds/grounds.ts';
import { createBerth } from '../grounds/run-berth.ts';

const where = ['-e', 'clients'];

/** `--cluster` and `--move` in an env with two clusters. */
export function testMoving(grounds: () => Grounds): void {
  describe('berth, with two clusters', () => {
    let kubeconfig = '';
    // Later tests rely on the one cluster of the env, also if this one fails halfway.
    afterAll(async () => {
      const { admin, stack } = grounds().platform;
      const [second] = unwrap(await admin.k8sClusters.list({ query: { name: 'second' } })).items;
      if (second) unwrap(await admin.k8sClusters.update({ id: second.id, body: { ignore: true } }));
      if (kubeconfig !== '') await writeFile(stack.kubeconfigFile, kubeconfig);
    });

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

    test('on another cluster deploy creates another deployment, unless --move moves the existing one; an ambiguous name is refused with both', async () => {
      const { platform, program, sample } = grounds();
      kubeconfig = await readFile(platform.stack.kubeconfigFile, 'utf8');
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
      const found = async (path: string, ...filters: string[]) => {
        const list = ['get', 'deployments', ...where, '--filter', 'name=mover', ...filters];
        return (await berth([...list, '-o', `jsonpath={${path}}`])).out.trim().split('\n');
      };

      expect(await berth(deploy)).toMatchObject({ code: 2, err: expect.stringContaining('second') });
      expect(await berth([...deploy, '--cluster', 'nowhere'])).toMatchObject({ code: 3 });
      expect(await berth([...deploy, '--cluster', sample.cluster.name, '--wait'])).toMatchObject({ code: 0 });
      const moved = [...deploy, '--cluster', 'second', '--move'];
      expect(await berth([...moved, '--plan'])).toMatchObject({ code: 0, out: expect.stringContaining('tasks') });
      expect(await found('.cluster_id')).toEqual([sample.cluster.id]);
      expect(await berth([...moved, '--wait'])).toMatchObject({ code: 0, out: expect.stringMatching(/^task\//) });
      expect(await found('.cluster_id')).toEqual([second]);
      expect(await berth([...moved, '--wait'])).toMatchObject({
        code: 0,
        out: '',
        err: expect.stringContaining('already'),
      });

      const [moved_id = ''] = await found('.id');
      // Both clusters are one API server, so that only one of the two may be installed.
      expect(await berth(['set', 'deployment', 'mover', ...where, '--no-enabled'])).toMatchObject({ code: 0 });
      expect(await berth(['wait', 'mover', ...where])).toMatchObject({ code: 0 });
      expect(await berth([...deploy, '--cluster', sample.cluster.name])).toMatchObject({ code: 0 });
      const [namesake = ''] = await found('.id', '--filter', `cluster_id=${sample.cluster.name}`);
      const ambiguous = await berth(['why', 'mover', ...where]);
      expect(ambiguous).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('2 deployments are named mover: give the id of one\n'),
      });
      expect(ambiguous.err).toContain(`  ${moved_id} in env clients on cluster second\n`);
      expect(ambiguous.err).toContain(`  ${namesake} in env clients on cluster ${sample.cluster.name}\n`);
      for (const refused of [
        ['why', 'mover'],
        ['delete', 'deployment', 'mover', '--yes'],
      ])
        expect(await berth(refused)).toMatchObject({ code: 2, err: expect.stringContaining('give --env, or the id') });
      expect(await berth(deploy)).toMatchObject({
        code: 2,
        err: expect.stringMatching(new RegExp(`give --cluster\n(?:.*\n)? {2}${moved_id} on cluster second\n`)),
      });
      expect(await berth(['why', moved_id])).toMatchObject({ code: 0 });

      for (const id of [namesake, moved_id])
        expect(await berth(['delete', 'deployment', id, '--yes'])).toMatchObject({ code: 0 });
      expect(await berth(['set', 'cluster', 'second', '--ignore'])).toMatchObject({ code: 0 });
    });
  });
}
