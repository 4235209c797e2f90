import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentsSource } from '../apply/contents-source.ts';
import { readSetFiles } from './read-set-files.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'berth-set-')), 'set');
  await mkdir(join(folder, 'sub'), { recursive: true });
  await writeFile(join(folder, 'env.yaml'), 'kind: Env\n');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

test.for([
  ['a document', 'web.yaml'],
  ['a folder', 'sub/more'],
])('a link in the place of %s is refused, since prune would delete what it holds', async ([, name = '']) => {
  const elsewhere = join(folder, '..', 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, join(folder, name));

  await expect(readSetFiles(folder)).rejects.toThrow(/is a link/);
});

test("other links, and hidden ones, stand in nobody's way", async () => {
  await symlink('nowhere', join(folder, 'notes'));
  await symlink('env.yaml', join(folder, '.old.yaml'));

  expect((await readSetFiles(folder)).map(({ name }) => name)).toEqual(['env.yaml']);
});

test('contents of secrets come only from files in the folder of the set', async () => {
  const outside = join(folder, '..', 'key');
  await writeFile(outside, 'private');
  await writeFile(join(folder, 'sub', 'token'), 'of the set');
  await symlink(outside, join(folder, 'link'));
  await symlink('sub/token', join(folder, 'inner'));
  const { problemOf, read } = contentsSource(folder, {});

  expect(await read({ file: './sub/token' })).toBe('of the set');
  expect(await read({ file: 'inner' })).toBe('of the set');
  for (const file of ['../key', outside, 'link', 'sub/../../key'])
    expect(problemOf({ file })).toMatch(/outside of the folder of the set/);
  await expect(read({ file: 'link' })).rejects.toThrow(/outside of the folder/);
  expect(problemOf({ file: 'sub' })).toMatch(/cannot be read/);
  expect(problemOf({ file: 'gone' })).toMatch(/cannot be read/);
});
