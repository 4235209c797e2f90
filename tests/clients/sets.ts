import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, unwrap } from '@berth/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';
import { createBerth } from './grounds/run-berth.ts';
import { runHere } from './grounds/run-here.ts';
import { documentText as doc } from './grounds/document-text.ts';

const access = [
  doc('kind: Env\nname: team-a\nauto_add_new_users: false\nnode_selector: { pool: big }'),
  doc('kind: Member\nenv: team-a\nuser: grace@example.test\nrole: User'),
  doc('kind: Role\nenv: team-a\nuser: grace@example.test\ndeployment_kind: HelloWeb\nrole: Owner'),
  doc('kind: Bot\nname: team-a-ci'),
].join('---\n');

const content = [
  doc('kind: Secret\nenv: clients\ncollection: team\nname: token\ncontents: { env: TEAM_TOKEN }'),
  doc('kind: Secret\nenv: clients\ncollection: team\nname: key\ncontents: { file: ./key }'),
  doc(
    'kind: Deployment\nenv: clients\nname: by-set\nchart: HelloWeb@1.0.0\ndescription_md: from Git\nconfig:\n  greeting: Hello\n  replicas: 1\n  token: { ref: Secret/team/token }',
  ),
  doc(
    'kind: Resource\nenv: clients\ndeployment: by-set\ntype: HelloWeb/page\nname: home\nprops: { title: Home }\nsensitive_props: { password: { env: TEAM_PASSWORD } }',
  ),
].join('---\n');

const secrets = { TEAM_TOKEN: 'swordfish-token', TEAM_PASSWORD: 'swordfish-password' };

/** Folders of documents: export, diff, apply and prune. */
export function testSets(grounds: () => Grounds): void {
  describe('berth, for sets in Git', () => {
    const written: string[] = [];
    let admin: Client;
    let set: string;
    const as = (token: string) => {
      const { platform, program } = grounds();
      const env = {
        BERTH_URL: platform.stack.url,
        BERTH_CONFIG: '/nowhere.json',
        BERTH_TOKEN: token,
        ...secrets,
      };
      return createBerth(program, env, written);
    };
    let berth: ReturnType<typeof createBerth>;
    const apply = (...flags: string[]) => berth(['apply', '-f', set, ...flags]);
    const nothingToDo = { code: 0, out: '', err: expect.stringMatching(/^nothing to do: /) };

    beforeAll(async () => {
      const { platform, folder } = grounds();
      admin = platform.admin;
      berth = as(platform.adminToken);
      await platform.person('grace');
      set = join(folder, 'team');
      await mkdir(set);
      await writeFile(join(set, 'access.yaml'), access);
      await writeFile(join(set, 'content.yaml'), content);
      await writeFile(join(set, 'key'), 'swordfish-key');
    });

    test('wrong documents are refused with file, line, field and rule, before anything is asked', async () => {
      const wrong = join(grounds().folder, 'wrong');
      await mkdir(wrong);
      await writeFile(join(wrong, 'a.yaml'), doc('kind: Env\nname: x\ncolour: red\nauto_add_new_users: maybe'));
      await writeFile(join(wrong, 'b.yaml'), 'kind: [');
      await writeFile(
        join(wrong, 'c.yaml'),
        doc('kind: Secret\nenv: x\ncollection: c\nname: n\ncontents: { value: swordfish-inline }'),
      );

      const ran = await berth(['diff', '-f', wrong]);

      expect(ran).toMatchObject({ code: 2, out: '' });
      for (const line of [
        /a\.yaml:4: colour: is not known here/,
        /a\.yaml:5: auto_add_new_users: /,
        /b\.yaml:1: is not YAML/,
        /c\.yaml:1: .*--allow-inline/,
      ])
        expect(ran.err).toMatch(line);
      expect(await berth(['diff', '-f', '/nowhere'])).toMatchObject({ code: 2 });
      expect(await berth(['apply'])).toMatchObject({ code: 2 });
    });

    test('on a terminal apply asks: only yes applies, and only the name of the set deletes', async () => {
      const { platform, folder } = grounds();
      const asking = join(folder, 'asking');
      await mkdir(asking);
      for (const name of ['kept', 'leaving'])
        await writeFile(join(asking, `${name}.yaml`), doc(`kind: Env\nname: ${name}`));
      const env = { BERTH_URL: platform.stack.url, BERTH_CONFIG: '/nowhere.json', BERTH_TOKEN: platform.adminToken };
      const typing = (typed: string, ...flags: string[]) => runHere(['apply', '-f', asking, ...flags], { env, typed });

      const declined = await typing('n');
      expect(declined).toMatchObject({ code: 3, out: '', err: expect.stringContaining('the plan was declined') });
      expect(declined.err).toMatch(/\+ create +Env\/kept[^]*Apply this\? \[y\/N\]/);
      expect(await berth(['get', 'env', 'kept'])).toMatchObject({ code: 3 });
      expect(await typing('y')).toMatchObject({ code: 0, err: expect.stringContaining('2 created') });

      await rm(join(asking, 'leaving.yaml'));
      const refused = { code: 3, err: expect.stringContaining('another name was typed') };
      expect(await typing('y', '--prune')).toMatchObject(refused);
      expect(await typing('asking', '--prune')).toMatchObject({ code: 0, err: expect.stringContaining('1 deleted') });
      expect(await berth(['get', 'env', 'leaving'])).toMatchObject({ code: 3 });
      expect(await berth(['get', 'env', 'kept'])).toMatchObject({ code: 0 });
    });

    test('without a terminal only --yes applies a plan, and applying it again changes nothing', async () => {
      const asked = await apply();
      expect(asked).toMatchObject({ code: 3, out: '', err: expect.stringContaining('--yes applies the plan') });
      expect(asked.err).toMatch(/\+ create +Env\/team-a/);
      await expect(stat(join(set, 'berth-set.json'))).rejects.toThrow(/ENOENT/);
      expect(await berth(['diff', '-f', set])).toMatchObject({ code: 1, out: expect.stringContaining('8 to create') });

      const applied = await apply('--yes', '--wait', '--verbose');
      expect(applied).toMatchObject({ code: 0, out: expect.stringMatching(/^RESULT +ROW/) });
      expect(applied.out).toMatch(/created +Resource\/clients\/HelloWeb\/page\/home/);

      expect(await apply('--yes')).toMatchObject(nothingToDo);
      expect(await berth(['diff', '-f', set])).toMatchObject({ code: 0 });
      const web = JSON.parse((await berth(['get', 'deployment', 'by-set', '-e', 'clients', '-o', 'json'])).out);
      expect(web).toMatchObject({ status: 'Running', description_md: 'from Git' });
      const { items } = unwrap(await admin.secrets.list({ query: { collection: 'team', name: 'token' } }));
      expect(web.config.token).toBe(items[0]?.id);
      const record = JSON.parse(await readFile(join(set, 'berth-set.json'), 'utf8'));
      expect(Object.keys(record.platforms[grounds().platform.stack.url])).toHaveLength(8);
    });

    test('what is exported and applied changes nothing', async () => {
      const folder = join(grounds().folder, 'exported');
      const exported = await berth(['export', '--to', folder]);
      expect(exported).toMatchObject({ code: 0, out: '', err: expect.stringContaining('CLIENTS_TEAM_TOKEN') });
      expect((await readdir(folder)).toSorted()).toEqual(
        expect.arrayContaining(['clients.yaml', 'platform.yaml', 'team-a.yaml']),
      );

      expect(await berth(['diff', '-f', folder])).toMatchObject({ code: 0 });
      expect(await berth(['apply', '-f', folder, '--yes'])).toMatchObject(nothingToDo);
      expect(await berth(['export', '--to', folder])).toMatchObject({
        code: 3,
        err: expect.stringContaining('--overwrite'),
      });
      expect(await berth(['export', '-e', 'env/clients'], { readsOnce: true })).toMatchObject({
        code: 0,
        out: expect.stringContaining('kind: Env\nname: clients\n'),
      });
      expect(await berth(['export', '-e', 'nowhere'])).toMatchObject({ code: 3, out: '' });
    });

    test('a changed document changes its row alone, and a secret only if that is asked for', async () => {
      await writeFile(join(set, 'content.yaml'), content.replace('title: Home', 'title: Start'));
      expect(await apply('--yes')).toMatchObject({ code: 0, out: expect.stringMatching(/changed +Resource[^\n]*\n$/) });
      const { updated_at } = unwrap(await admin.secrets.list({ query: { name: 'key' } })).items[0] ?? {};
      await writeFile(join(set, 'key'), 'swordfish-other');

      expect(await apply('--yes')).toMatchObject(nothingToDo);
      expect(await apply('--yes', '--write-secrets')).toMatchObject({
        code: 0,
        out: expect.stringContaining('changed  Secret/clients/team/key'),
      });
      const after = unwrap(await admin.secrets.list({ query: { name: 'key' } })).items[0];
      expect(after?.updated_at).not.toBe(updated_at);
    });

    test('a caller without permission is refused for each row, and rows that depend on these are skipped', async () => {
      const { platform, folder } = grounds();
      const other = join(folder, 'refused');
      await mkdir(other);
      const rows = [
        doc('kind: Env\nname: forbidden'),
        doc('kind: Bot\nname: forbidden'),
        doc('kind: Secret\nenv: forbidden\ncollection: c\nname: n\ncontents: { env: TEAM_TOKEN }'),
        doc('kind: Cluster\nname: nowhere\nenv: forbidden'),
      ];
      await writeFile(join(other, 'a.yaml'), rows.join('---\n'));
      const grace = await platform.person('grace');

      const ran = await as(grace.session)(['apply', '-f', other, '--yes']);

      expect(ran.code).toBe(3);
      expect(ran.out).toMatch(/failed +Env\/forbidden/);
      expect(ran.out).toMatch(/failed +Bot\/forbidden/);
      expect(ran.out).toMatch(/not done +Secret\/forbidden\/c\/n +needs Env\/forbidden/);
      expect(ran.out).toMatch(/blocked +Cluster\/nowhere/);
      expect(ran.err).toMatch(/Env\/forbidden: [^]*\(forbidden, POST .*, request /);
    });

    test('prune deletes only what the set made, once its name is given', async () => {
      const env_id = grounds().sample.cluster.env_id ?? '';
      unwrap(await admin.secrets.create({ body: { env_id, collection: 'team', name: 'foreign', contents: 'x' } }));
      await rm(join(set, 'content.yaml'));
      const prune = (...flags: string[]) => apply('--prune', '--yes', ...flags);

      expect(await apply('--yes')).toMatchObject(nothingToDo);
      expect(await prune()).toMatchObject({
        code: 3,
        err: expect.stringContaining('--confirm-prune team is needed to delete 4 rows'),
      });
      expect(await prune('--confirm-prune', 'other')).toMatchObject({
        code: 3,
        err: expect.stringContaining('the set is team'),
      });
      expect(await berth(['get', 'deployment', 'by-set', '-e', 'clients'])).toMatchObject({ code: 0 });

      const pruned = await prune('--confirm-prune', 'team');
      expect(pruned).toMatchObject({ code: 0, err: expect.stringContaining('4 deleted') });
      const order = [...pruned.out.matchAll(/^deleted +(\w+)/gm)].map(([, kind]) => kind);
      expect(order).toEqual(['Resource', 'Deployment', 'Secret', 'Secret']);
      expect(await berth(['get', 'deployment', 'by-set', '-e', 'clients'])).toMatchObject({ code: 3 });
      expect(await berth(['get', 'secret', 'foreign', '-e', 'clients'])).toMatchObject({ code: 0 });
      expect(await prune()).toMatchObject(nothingToDo);
    });

    test('nothing that was written holds the contents of a secret or a token', async () => {
      const files = [join(set, 'berth-set.json'), join(grounds().folder, 'exported/clients.yaml')];
      const all = [...written, ...(await Promise.all(files.map((file) => readFile(file, 'utf8'))))].join('\n');

      expect(written.length).toBeGreaterThan(40);
      for (const secret of ['swordfish', grounds().platform.adminToken]) expect(all).not.toContain(secret);
    });
  });
}
