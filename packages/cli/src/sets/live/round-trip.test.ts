import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocuments } from '../documents/parse-documents.ts';
import { planSet } from '../plan/plan-set.ts';
import { exportFiles } from './export-files.ts';
import { liveSet } from './live-set.ts';
import type { PlatformRows } from './platform-rows.ts';

const created_at = '2026-11-25T00:00:00Z';

/** Names as users give them: trimmed, not empty, also with slashes, quotes, colons, and what YAML takes for something else. */
const name = fc.oneof(
  fc.constantFrom('prod', 'Prod 2', 'a/b', '100%', 'yes', 'null', '1.0', '#', 'it\'s: "x"', '- a', '日本', '{ref: x}'),
  fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
);
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const json = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: true })
  .filter((value) => !/__proto__|constructor|\\u|-0/.test(JSON.stringify(value)));
const inputs = (ids: readonly string[]) =>
  fc.dictionary(
    fc.stringMatching(/^[a-z_]{1,8}$/).filter((key) => key !== 'constructor' && key !== '__proto__'),
    fc.oneof(
      fc.constantFrom(...ids),
      fc.array(fc.constantFrom(...ids), { maxLength: 3 }),
      json,
      fc.constantFrom({ ref: 'Secret/a/b' }, { literal: 1 }, { ref: 1 }, { literal: { ref: 'x' } }),
    ),
    { maxKeys: 5 },
  );

/** Rows that a platform could have: ids that exist, names that are unique where the platform keeps them so. */
const platforms: fc.Arbitrary<PlatformRows> = fc
  .uniqueArray(fc.uuid(), { minLength: 30, maxLength: 30 })
  .chain((ids) => {
    const [
      env1,
      env2,
      kind1,
      kind2,
      user1,
      user2,
      c1,
      c2,
      c3,
      d1,
      d2,
      d3,
      s1,
      s2,
      t1,
      t2,
      r1,
      r2,
      b1,
      b2,
      ch1,
      ch2,
      m1,
      m2,
      ro1,
    ] = ids as [string, ...string[]];
    return fc
      .record({
        names: fc.uniqueArray(name, { minLength: 12, maxLength: 12, selector: (text) => text.toLowerCase() }),
        labels: fc.uniqueArray(label, { minLength: 3, maxLength: 3 }),
        sameBots: fc.boolean(),
        sameClusters: fc.boolean(),
        emails: fc.boolean(),
        configs: fc.array(inputs([s1, d1, d2, r1, env1, 'text'] as string[]), { minLength: 4, maxLength: 4 }),
        override: fc.option(
          fc.dictionary(
            fc.stringMatching(/^[a-z]{1,5}$/).filter((key) => key !== 'berth'),
            json,
            { maxKeys: 3 },
          ),
        ),
        enabled: fc.boolean(),
        placement: fc.option(fc.constant({ pool: 'big' })),
        available: fc.boolean(),
        description: fc.option(fc.stringMatching(/^[ -~]{0,40}$/).map((text) => text.trim())),
      })
      .map((given) => {
        const [e1, e2, k1, k2, cl1, cl2, se1, se2, co1, bo1, bo2, re1] = given.names;
        const kindNames = [k1, k2].map((text) => (text ?? '').replaceAll(/[^A-Za-z0-9]/g, '') || 'Kind');
        const cluster = (id: unknown, env_id: unknown, clusterName: unknown) => ({
          id,
          env_id,
          name: clusterName,
          ignore: false,
          ingress_domain: null,
          ingress_class: null,
          ingress_tls_secret_name: null,
          metrics_url: null,
          metrics_datasource_name: null,
        });
        const deployment = (id: unknown, at: number, cluster_id: unknown, env_id: unknown) => ({
          id,
          name: given.labels[at],
          kind_id: kind1,
          env_id,
          cluster_id,
          enabled: given.enabled,
          status: 'Running',
          description_md: given.description,
          helm_chart_id: at === 0 ? ch1 : ch2,
          config: given.configs[at],
          values_override: given.override,
        });
        const user = (id: unknown, email: string) => ({
          id,
          created_at,
          display_name: 'x',
          email: given.emails ? email : null,
          is_admin: false,
          is_active: true,
        });
        const chart = (id: unknown, digest: string, available: boolean) => ({
          id,
          kind: kindNames[0],
          tag: '1.0.0',
          digest,
          available,
          error: null,
        });
        return {
          envs: [
            {
              id: env1,
              created_at,
              name: e1,
              node_selector: given.placement,
              tolerations: null,
              auto_add_new_users: true,
            },
            { id: env2, created_at, name: e2, node_selector: null, tolerations: null, auto_add_new_users: false },
          ],
          bots: [
            { id: b1, created_at, display_name: bo1, is_active: true },
            { id: b2, created_at, display_name: given.sameBots ? bo1 : bo2, is_active: false },
          ],
          clusters: [cluster(c1, env1, cl1), cluster(c2, env1, given.sameClusters ? cl1 : cl2), cluster(c3, null, cl2)],
          users: [user(user1 ?? '', 'grace@example.test'), user(user2 ?? '', 'linus@example.test')],
          kinds: [
            { id: kind1, name: kindNames[0] },
            { id: kind2, name: `${kindNames[1]}2` },
          ],
          members: [
            { id: m1, created_at, env_id: env1, user_id: user1, role: 'Admin' },
            { id: m2, created_at, env_id: env2, user_id: user2, role: 'User' },
          ],
          roles: [{ id: ro1, created_at, env_id: env1, user_id: user1, kind_id: kind2, role: 'Owner' }],
          secrets: [
            { id: s1, created_at, updated_at: created_at, env_id: env1, collection: co1, name: se1 },
            { id: s2, created_at, updated_at: created_at, env_id: env2, collection: co1, name: se2 },
          ],
          deployments: [deployment(d1, 0, c1, env1), deployment(d2, 1, c2, env1), deployment(d3, 0, c2, env1)],
          types: [
            {
              id: t1,
              created_at,
              env_id: env1,
              deployment_kind_id: kind1,
              key: 'page',
              spec: { values_ui: { inputs: [{ id: 'secret', sensitive: true }] } },
            },
            { id: t2, created_at, env_id: null, deployment_kind_id: kind1, key: 'other/key', spec: {} },
          ],
          resources: [
            {
              id: r1,
              created_at,
              type_id: t1,
              deployment_id: d1,
              name: re1,
              exists: true,
              props: given.configs[2],
              sync_status: 'Ready',
              sync_reason: null,
            },
            {
              id: r2,
              created_at,
              type_id: t2,
              deployment_id: null,
              name: re1,
              exists: true,
              props: {},
              sync_status: 'Error',
              sync_reason: null,
            },
          ],
          charts: [chart(ch1, 'sha256:a', given.available), chart(ch2, 'sha256:b', !given.available)],
        } as unknown as PlatformRows;
      });
  });

test('what is exported and applied again changes nothing, whatever the rows are', () => {
  fc.assert(
    fc.property(platforms, (platform) => {
      const live = liveSet(platform);
      const { files } = exportFiles(live, null);
      const found = parseDocuments(
        [...files].map(([file, text]) => ({ name: file, text })),
        { allowInline: false },
      );

      const { steps } = planSet({
        found,
        live,
        owned: {},
        prune: true,
        writeSecrets: false,
        problemOf: () => 'not needed',
      });

      const others = steps
        .filter(({ action }) => action !== 'keep')
        .map(({ action, key, reason, fields }) => ({ action, key, reason, fields }));
      expect(others).toEqual([]);
      expect(steps.length).toBe(
        [...live.rows.values()].filter(({ document }) => document.kind !== 'Cluster' || document.env !== null).length,
      );
    }),
    { numRuns: 40, endOnFailure: true },
  );
});
