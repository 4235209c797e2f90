import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sourcesIn, workspaces } from './rules/sources.ts';

/** The command line and the console show every error to a person, whatever its type. */
const showsErrors = ['packages/cli', 'packages/console'];
const isOfTests = (file: string): boolean => /(?:^|\/)testing\//.test(file);

test.each(
  workspaces.filter((workspace) => !showsErrors.includes(workspace) && workspace !== 'packages/shared/testing'),
)('%s throws errors with a type: AppError, one of its own, or Bug for what cannot happen', (workspace) => {
  const folder = `${workspace}/src`;
  const untyped = sourcesIn(folder).filter(
    (file) => !isOfTests(file) && readFileSync(join(root, folder, file), 'utf8').includes('new Error('),
  );

  expect(untyped).toEqual([]);
});
