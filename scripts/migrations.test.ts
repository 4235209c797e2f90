import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './rules/sources.ts';

const list = 'scripts/rules/migrations.sha256';
const folders = '{services/*,packages/shared/db/src}/migrations/**/*.sql';

// A service does not start if a migration that its database has applied was changed, even in a comment.
test('no migration has changed since it was added', () => {
  const listed = readFileSync(join(root, list), 'utf8').trimEnd().split('\n');
  const found = globSync(folders, { cwd: root }).map((file) => `${sha256(file)}  ${file}`);

  expect(found.length).toBeGreaterThan(40);
  expect(found.toSorted(), `for a new migration: sha256sum <file> >> ${list}`).toEqual(listed.toSorted());
});

const sha256 = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex');
