import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unwrap } from '@berth/client';
import { describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';
import { type Difference, startHookedProxy } from './grounds/hooked-proxy.ts';
import { createBerth } from './grounds/run-berth.ts';

type Row = Record<string, unknown>;

/** Changes each row of an answer: of a list, or the one that is read. */
const rows =
  (change: (row: Row) => Row) =>
  (content: unknown): unknown => {
    const answer = { ...(content as Row) };
    const { items } = answer;
    if (Array.isArray(items)) return { ...answer, items: items.map((row: Row) => change(row)) };
    return 'id' in answer ? change(answer) : answer;
  };

/** The real platform behind a proxy that makes it look newer or older than this command line. */
export function testOtherVersions(grounds: () => Grounds): void {
  describe('berth, with a platform of another version', () => {
    async function against(difference: Difference) {
      const { platform, program, written } = grounds();
      const proxy = await startHookedProxy(platform.stack.url, async () => 'pass', difference);
      const env = { BERTH_URL: proxy.url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: platform.adminToken };
      return { berth: createBerth(program, env, written), [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
    }

    test('unknown fields of a newer platform are shown and never sent back, which it would refuse', async () => {
      await using newer = await against({ content: rows((row) => ({ ...row, colour: { of: 'the future' } })) });
      const { berth } = newer;
      const folder = join(grounds().folder, 'from-newer');

      expect(JSON.parse((await berth(['get', 'env', 'clients', '-o', 'json'])).out)).toMatchObject({
        colour: { of: 'the future' },
      });
      expect((await berth(['describe', 'env/clients'])).out).toContain('of: the future');
      expect(await berth(['create', 'env', 'newer'])).toMatchObject({ code: 0 });
      expect(await berth(['set', 'env', 'newer', '--node-selector', '{"pool":"a"}'])).toMatchObject({ code: 0 });
      expect(await berth(['deploy', 'ops', '-e', 'clients', '--set', 'replicas=2', '--plan'])).toMatchObject({
        code: 0,
      });

      expect(await berth(['export', '-e', 'newer', '--to', folder])).toMatchObject({ code: 0 });
      expect(await berth(['diff', '-f', folder])).toMatchObject({ code: 0 });
      const file = join(folder, 'newer.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replace('pool: a', 'pool: b'));
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject({
        code: 0,
        err: expect.stringContaining('1 changed'),
      });
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject({ code: 0, out: '' });
    });

    test('an unknown part of a known field is exported as it is, and named when it is refused by apply', async () => {
      const { platform, folder: all } = grounds();
      const { id } = unwrap(await platform.admin.envs.create({ body: { name: 'tolerant' } }));
      unwrap(await platform.admin.envs.update({ id, body: { tolerations: [{ operator: 'Exists' }] } }));
      await using newer = await against({
        content: rows((row) =>
          row['name'] === 'tolerant' ? { ...row, tolerations: [{ operator: 'Exists', until: 'tomorrow' }] } : row,
        ),
      });
      const [exported, other] = [join(all, 'tolerant'), join(all, 'beside-tolerant')];

      expect(await newer.berth(['export', '-e', 'tolerant', '--to', exported])).toMatchObject({ code: 0 });
      expect(await readFile(join(exported, 'tolerant.yaml'), 'utf8')).toContain('until: tomorrow');
      expect(await newer.berth(['diff', '-f', exported])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/tolerant\.yaml:\d+: tolerations\[0\]\.until: is not known here/),
      });
      // Sets without that row are applied all the same.
      await mkdir(other);
      await writeFile(join(other, 'a.yaml'), 'apiVersion: berth.dev/v1\nkind: Env\nname: beside\n');
      expect(await newer.berth(['apply', '-f', other, '--yes'])).toMatchObject({ code: 0 });
    });

    test('with an older platform, errors name the missing path and the version, and rows are shown without missing fields', async () => {
      await using older = await against({
        path: (path) => path.replace(/\/(audit-events|deployment-resources)\b/, '/$1-of-the-future'),
        content: rows(({ health: _health, operation: _operation, ...row }) => row),
      });
      const { berth } = older;

      expect(await berth(['audit'])).toMatchObject({
        code: 3,
        out: '',
        err: expect.stringMatching(/No such path\n.*older than this command line, .*\n.*GET \/api\/v2\/audit-events,/),
      });
      expect(await berth(['export'])).toMatchObject({
        code: 3,
        out: '',
        err: expect.stringMatching(/older than.*\n.*GET \/api\/v2\/deployment-resources,/),
      });
      expect(await berth(['get', 'envs', '--filter', 'colour=red'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('older than this command line'),
      });
      expect(await berth(['get', 'deployments', '-e', 'clients'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^ops +clients +HelloWeb +Running +\d+[smh]$/m),
      });
      expect(await berth(['tasks', '-e', 'clients'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^[0-9a-f-]{36} +ops +Done /m),
      });
    });
  });
}
