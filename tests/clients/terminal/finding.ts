import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from '../grounds/grounds.ts';
import { createBerth } from '../grounds/run-berth.ts';

const where = ['-e', 'clients'];

/** Names in arguments and filters, and the formats of what is found. The deployment `ops` is there. */
export function testFinding(grounds: () => Grounds): void {
  describe('berth, to find rows', () => {
    let berth: ReturnType<typeof createBerth>;
    const written = async (...args: string[]): Promise<string[]> => {
      const { code, out, err } = await berth(args);
      // A request that is repeated says so there too.
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      return out.trimEnd().split('\n');
    };

    beforeAll(() => {
      const { platform, program } = grounds();
      const env = { BERTH_URL: platform.stack.url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: platform.adminToken };
      berth = createBerth(program, env, grounds().written);
    });

    test.concurrent('filters take names of other rows', async () => {
      const { cluster } = grounds().sample;
      const of = (kind: string, path: string, ...filters: string[]) =>
        written('get', kind, ...filters.flatMap((one) => ['--filter', one]), '-o', `jsonpath={${path}}`);

      const [ops = ''] = await written('get', 'deployment', 'ops', ...where, '-o', 'jsonpath={.id}');
      expect(
        await of('deployments', '.id', 'kind_id=HelloWeb', `cluster_id=${cluster.name}`, 'env_id=clients'),
      ).toContain(ops);
      expect(new Set(await of('tasks', '.deployment_id', 'env_id=clients', 'deployment_id=ops'))).toEqual(
        new Set([ops]),
      );
      const [chart = ''] = await written('get', 'chart', 'HelloWeb@1.0.0', '-o', 'jsonpath={.id}');
      expect(new Set(await of('deployments', '.helm_chart_id', 'helm_chart_id=HelloWeb@1.0.0'))).toEqual(
        new Set([chart]),
      );
      expect(await of('clusters', '.name', 'env_id=clients')).toContain(cluster.name);
      expect((await berth(['get', 'clusters', '--filter', 'env_id=null'])).code).toBe(0);
      expect(await berth(['get', 'charts', '--filter', 'kind_id=Nothing'])).toMatchObject({
        code: 3,
        out: '',
        err: 'berth: there is no kind Nothing\n',
      });
      expect(await berth(['get', 'chart', 'HelloWeb@9.9.9'])).toMatchObject({ code: 3, out: '' });
    });

    test.concurrent('charts are listed with their kinds', async () => {
      const [titles, ...rows] = await written('get', 'charts', '--filter', 'kind_id=HelloWeb');

      expect(titles).toMatch(/^KIND +TAG +AVAILABLE +ERROR +AGE$/);
      expect(rows).toContainEqual(expect.stringMatching(/^HelloWeb +1\.0\.0 +true +\d+[smh]$/));
    });

    test.concurrent('wide tables have more columns than others', async () => {
      const list = ['get', 'deployments', ...where];
      const { cluster } = grounds().sample;

      const [titles, ...rows] = await written(...list, '-o', 'wide');

      expect((await written(...list))[0]).toMatch(/^NAME +ENV +KIND +STATUS +HEALTH +AGE$/);
      expect(titles).toMatch(/^NAME +ENV +KIND +CHART +STATUS +HEALTH +CLUSTER +NAMESPACE +AGE +ID$/);
      const row = String.raw`^ops +clients +HelloWeb +1\.3\.0-callable\.1 +\w+ +\w+ +${cluster.name} +\S+ +\d+[smh] +[0-9a-f-]{36}$`;
      expect(rows).toContainEqual(expect.stringMatching(row));
    });

    test.concurrent('a jsonpath prints one field of each row, and unsupported syntax is refused', async () => {
      const path = (text: string) => berth(['get', 'deployment', 'ops', ...where, '-o', `jsonpath=${text}`]);

      expect((await path('{.name}')).out).toBe('ops\n');
      expect((await path('.config.replicas')).out).toBe('1\n');
      expect(JSON.parse((await path('{.config}')).out)).toMatchObject({ replicas: 1 });
      expect((await path("{['config']['greeting']}")).out).toBe('Hi\n');
      expect((await path('{.missing.field}')).out).toBe('\n');
      for (const unknown of ['{.items[*].name}', '{range .items}', '{.a b}'])
        expect(await path(unknown)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('jsonpath=') });
    });

    test.concurrent('other commands take the names that -o name writes', async () => {
      expect(await written('get', 'deployment/ops', ...where, '-o', 'name')).toEqual(['deployment/ops']);
      const [task = ''] = await written('tasks', 'deployment/ops', ...where, '-o', 'name');

      expect(task).toMatch(/^task\/[0-9a-f-]{36}$/);
      expect(await berth(['logs', task])).toMatchObject({ code: 0 });
      expect(await written('get', task, '-o', 'name')).toEqual([task]);
      expect(await berth(['wait', `${task.slice(0, -12)}000000000000`])).toMatchObject({ code: 3 });
    });

    test.concurrent('a misspelt kind is refused with the one that may be meant', async () => {
      expect(await berth(['get', 'deploments'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('there is no kind deploments; did you mean `deployments`?'),
      });
    });
  });
}
