import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reachedFrom } from './changed-files.ts';
import { everything, reachedWithoutImport, starters } from './reached-without-import.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const platform = 'packages/devstack/src/stack/service-process.ts';
const gateway = 'packages/devstack/src/testing/gateway-process.ts';

const reached = async (...files: string[]) =>
  (
    await reachedFrom(
      root,
      files.map((file) => join(root, file)),
    )
  ).map((file) => file.slice(root.length));

test('every place that starts services exists', () => {
  expect([...starters, everything].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.for<[string, string, string[], string[]]>([
  [
    'a source of a service',
    'services/auth/src/main.ts',
    ['services/auth/test/support/auth-process.ts', platform],
    [gateway],
  ],
  ['a source that services share', 'packages/shared/bus/src/bus.ts', starters, [everything]],
  [
    'a migration',
    'services/auth/migrations/0001-users.sql',
    ['services/auth/test/bots.test.ts', 'tests/start-command.test.ts', platform],
    ['services/tasks/test/lists.test.ts'],
  ],
  ['a screen', 'packages/console/src/home/home.tsx', [platform], ['services/auth/test/bots.test.ts']],
  [
    'a template of the chart',
    'deploy/berth/templates/x.yaml',
    ['packages/chart/test/support/helm-in-test.ts'],
    [platform],
  ],
  ['a manifest', 'deploy/rbac/runner.yaml', ['packages/devstack/src/testing/apply-rbac.ts'], [everything]],
  ['a document', 'docs/operators.md', ['packages/shared/bus/src/accounts/compromised-part.test.ts'], [everything]],
  ['the script of CI', '.ci/run', [everything], []],
  ['a test', 'services/auth/test/bots.test.ts', [], [platform]],
  ['a helper of tests', 'tests/setup/platform.ts', [], [platform]],
])('%s reaches the expected tests without an import, and not all tests', async ([, file, expected, others]) => {
  const found = await reached(file);

  expect(found).toEqual(expect.arrayContaining(expected));
  expect(found.filter((one) => others.includes(one))).toEqual([]);
});

test('a file outside of all packages runs all tests', () => {
  expect(reachedWithoutImport('pnpm-lock.yaml').files).toEqual([everything]);
});
