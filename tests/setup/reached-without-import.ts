/** Files that start programs of Berth as processes: a test that imports one of them runs the sources of a service. */
const platform = 'packages/devstack/src/stack/service-process.ts';
const startCommand = 'tests/start-command.test.ts';
const startsService: Record<string, string> = {
  'api-gateway': 'packages/devstack/src/testing/gateway-process.ts',
  auth: 'services/auth/test/support/auth-process.ts',
  tasks: 'services/tasks/test/support/tasks-process.ts',
  runner: 'services/runner/test/support/runner-world.ts',
  'cluster-sync': 'services/cluster-sync/test/support/service-process.ts',
  'registry-scan': 'services/registry-scan/test/support/service-process.ts',
};
export const starters = [platform, startCommand, ...Object.values(startsService)];

/** Stands for the whole repository: a change of this file runs all tests. */
export const everything = 'vitest.config.ts';

/** Files affected other than by an import; they count as changed, too. */
export interface Reached {
  files: readonly string[];
  /** All tests below these folders. */
  testsBelow: readonly string[];
  /** All tests and test helpers whose text contains one of these. */
  naming: readonly string[];
}

const nothing: Reached = { files: [], testsBelow: [], naming: [] };
const isTest = (file: string) => /\.test\.ts$|\/(test|testing)\//.test(file);

/**
 * Vitest follows imports from changed files to tests. A service started as a process, a migration, a page, the chart and
 * documents affect tests in other ways, listed here. Paths are relative to the checkout.
 */
export function reachedWithoutImport(file: string): Reached {
  const [top = ''] = file.split('/');
  const isSource = /\.m?tsx?$/.test(file);
  const folder = packageOf(file);
  if (isTest(file) && isSource) return nothing;
  if (file.endsWith('.md')) return { ...nothing, naming: ['.md', 'docs/'] };
  if (top === 'docs' || top === 'deploy') return { ...nothing, naming: [`${top}/`] };
  if (top === 'scripts' || top === 'bench') return { ...nothing, testsBelow: [top] };
  if (top === 'tests' && isSource) return nothing;
  if (folder === null) return { ...nothing, files: [everything] };

  const service = /^services\/([^/]+)$/.exec(folder)?.[1];
  const own = service === undefined ? undefined : startsService[service];
  const files = own === undefined ? starters : [platform, startCommand, own];
  return { files, testsBelow: isSource ? [] : [folder], naming: [] };
}

const packageOf = (file: string): string | null =>
  /^(services\/[^/]+|packages\/shared\/[^/]+|packages\/(?!shared\/)[^/]+)\//.exec(file)?.[1] ?? null;
