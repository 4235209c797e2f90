import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['./tests/setup/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: '.berth/test-report.json' }]],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'services/*/{src,test}/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/*.test.ts',
          ],
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'platform',
          include: ['tests/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Each file has a whole platform to itself, and spends much of its time waiting for outages to pass; more than two
          // at once would starve each other on a small machine.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
