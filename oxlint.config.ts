import { defineConfig } from 'oxlint';

/** One owner for each outside library: the folders that may import it, and why the others may not. */
const libraries = [
  {
    names: ['@nats-io/*'],
    homes: ['bus'],
    reason: 'NATS is spoken in packages/shared/bus/src only, where its pitfalls are dealt with once; use the Bus.',
  },
  {
    names: ['slonik', '@berth/db/statement'],
    homes: ['db', 'repository'],
    reason: 'SQL lives in *-repository.ts and packages/shared/db/src; call a repository.',
  },
  {
    names: ['pg'],
    homes: ['db', 'processes'],
    reason: 'pg is for migrations in packages/shared/db/src and for setting up servers; repositories use slonik.',
  },
  {
    names: ['fastify', '@fastify/*'],
    homes: ['gateway'],
    reason: 'Only the gateway speaks HTTP to clients; describe an operation in its contract instead.',
  },
  {
    names: ['openid-client'],
    homes: ['signIn'],
    reason: 'OpenID Connect is the business of services/auth/src/sign-in.',
  },
  {
    names: ['jose'],
    homes: ['identityTokens', 'auth', 'signIn'],
    reason: 'Tokens are signed in auth and verified in packages/shared/bus/src/identity-tokens; take an Identity.',
  },
  {
    // Its types are welcome, as those of every library: nothing of it is loaded then, and no image carries it.
    names: ['@kubernetes/client-node'],
    homes: [],
    reason:
      'Clusters are reached by packages/kube. `@kubernetes/client-node` opens a connection for each request; import types only.',
  },
  {
    names: ['undici'],
    homes: ['kube'],
    reason: 'Clusters are reached by packages/kube; other requests are made with the HTTP client of Node.',
  },
  {
    names: ['node:child_process', 'child_process'],
    homes: ['processes', 'helm', 'credentialPrograms', 'untrustedWork', 'browser'],
    reason:
      'Processes are started by runner/src/helm/helm-starter.ts, cluster-sync/src/providers/run-program.ts, packages/untrusted-work, the process guard and the local stack only, so that each has a stop; the browser of a person by packages/cli.',
  },
  {
    names: ['pino'],
    homes: ['service', 'bus', 'db'],
    reason: 'Logs are set up in packages/shared/service/src; take the logger as a dependency.',
  },
  {
    names: ['prom-client', '@opentelemetry/*'],
    homes: ['service', 'bus', 'db', 'observed'],
    reason: 'Requests and calls are measured and traced where they come in and go out: in the bus and in the gateway.',
  },
] as const;

type Home = (typeof libraries)[number]['homes'][number];

const folders: Record<Home, string[]> = {
  bus: ['packages/shared/bus/src/**'],
  db: ['packages/shared/db/src/**'],
  service: ['packages/shared/service/src/**'],
  identityTokens: ['packages/shared/bus/src/identity-tokens/**'],
  repository: ['services/*/src/**/*-repository.ts', 'services/tasks/src/store/**'],
  gateway: ['services/api-gateway/src/**'],
  observed: [
    'services/api-gateway/src/{http/{observe-requests,request-metrics,connections/connection-metrics},events/event-stream-metrics,authentication/leases/lease-metrics}.ts',
    'services/auth/src/identity-leases/rights-change-metrics.ts',
    'services/runner/src/metrics/runner-metrics.ts',
    'services/tasks/src/metrics/task-metrics.ts',
    'services/registry-scan/src/polling/scan-metrics.ts',
    'services/cluster-sync/src/clusters/cluster-metrics.ts',
  ],
  auth: ['services/auth/src/tokens/jwt-*.ts', 'services/auth/src/signing-keys/{key-ring,new-signing-key}.ts'],
  signIn: ['services/auth/src/sign-in/**'],
  kube: ['packages/kube/src/**'],
  helm: ['services/runner/src/helm/**'],
  credentialPrograms: ['services/cluster-sync/src/providers/run-program.ts'],
  browser: ['packages/cli/src/commands/access/open-browser.ts'],
  untrustedWork: ['packages/untrusted-work/src/work-process.ts'],
  processes: [
    'packages/devstack/src/**',
    'packages/process-guard/src/**',
    'packages/shared/testing/src/**',
    'scripts/**',
    'tests/deploy/setup/**',
  ],
};

const noOtherServices = {
  group: [
    '**/services/*/**',
    '@berth/auth',
    '@berth/tasks',
    '@berth/runner',
    '@berth/cluster-sync',
    '@berth/registry-scan',
    '@berth/api-gateway',
  ],
  message:
    'Services know one another only by contract: call an operation over the bus or keep a projection of its state.',
};

/** Only the last override that matches a file holds, so a file that is in two homes has one for both. */
const inTwoHomes: { files: string[]; homes: Home[] }[] = [
  { files: ['services/auth/src/sign-in/*-repository.ts'], homes: ['signIn', 'repository'] },
  { files: ['packages/shared/testing/src/db/**'], homes: ['processes', 'db'] },
  { files: ['packages/shared/testing/src/test-nats.ts'], homes: ['processes', 'bus'] },
];

function restrictedImports(homes: readonly Home[] = []) {
  const closed = libraries.filter(
    (library) => !homes.some((home) => (library.homes as readonly Home[]).includes(home)),
  );
  const patterns = closed.map(({ names, reason }) => ({ group: [...names], message: reason, allowTypeImports: true }));
  return ['error', { patterns: [...patterns, noOtherServices] }] as const;
}

export default defineConfig({
  plugins: ['typescript', 'import', 'node', 'promise', 'unicorn', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true },
  env: { node: true },
  ignorePatterns: ['**/node_modules/**', '**/dist/**', '.berth/**'],
  rules: {
    'no-restricted-imports': restrictedImports(),
    'import/no-cycle': 'error',
    'node/no-process-env': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/consistent-type-imports': 'error',
    'no-restricted-globals': [
      'error',
      {
        name: 'setInterval',
        message: 'Work that repeats is a loop of runService (every(ms, fn)): it stops, never overlaps and is counted.',
      },
    ],
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    // `using _held = …` holds something by its scope alone.
    'no-underscore-dangle': 'off',
    'promise/always-return': 'off',
    // The second argument of expect says which of several it was.
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    // Code points are what the lengths of the interface count.
    'typescript/no-misused-spread': 'off',
    'typescript/unbound-method': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'import/no-unassigned-import': 'off',
    'vitest/require-mock-type-parameters': 'off',
  },
  overrides: [
    ...(Object.keys(folders) as Home[]).map((home) => ({
      files: folders[home],
      rules: { 'no-restricted-imports': restrictedImports([home]) },
    })),
    ...inTwoHomes.map(({ files, homes }) => ({
      files,
      rules: { 'no-restricted-imports': restrictedImports(homes) },
    })),
    {
      files: ['packages/shared/contracts/src/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: [
                  'node:*',
                  '**/bus/**',
                  '**/db/**',
                  '**/service/**',
                  '**/testing/**',
                  '@berth/process-guard/*',
                  '@berth/kube/*',
                  'slonik',
                  'pg',
                  'fastify',
                  'jose',
                  'pino',
                  '@nats-io/*',
                  '@kubernetes/*',
                ],
                message: 'Contracts are values that every side imports: zod and access rules only, no I/O.',
              },
            ],
          },
        ],
      },
    },
    {
      files: [
        '**/main.ts',
        '**/*-main.ts',
        'scripts/**',
        'tests/deploy/**',
        'packages/devstack/src/**',
        'packages/shared/testing/src/**',
        'packages/console/vite.config.ts',
        'oxlint.config.ts',
      ],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      // A page is no service: it has no loops of runService, and ends with its tab.
      files: ['packages/console/src/**'],
      rules: { 'no-restricted-globals': 'off' },
    },
    {
      // Where messages, routes and schemas are generic, their types are asserted by hand; nowhere else.
      files: [
        'packages/shared/{bus,contracts,testing}/src/**',
        'packages/client/src/{create-client,rule-table}.ts',
        // The router types the parts of a link by its route, which those that pass links on do not know.
        'packages/console/src/{api,shell,ui}/**',
        'services/api-gateway/src/routes/**',
        'scripts/openapi/**',
        'oxlint.config.ts',
      ],
      rules: { 'typescript/no-unsafe-type-assertion': 'off' },
    },
    {
      // Tests and benchmarks meet the real thing from both sides, so the walls between the parts do not hold there.
      files: ['**/*.test.ts', '**/test/**', 'tests/**', 'bench/**'],
      rules: {
        'no-restricted-imports': 'off',
        'node/no-process-env': 'off',
        'typescript/no-floating-promises': 'error',
        'typescript/no-unsafe-type-assertion': 'off',
      },
    },
  ],
});
