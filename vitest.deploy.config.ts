import { defineConfig } from 'vitest/config';
import { patienceMs } from './tests/setup/patience.ts';
import { SlowestFiles } from './tests/setup/slowest-files.ts';

/** The tests of images and real pods: they need root and packages of the system, so `npm test` leaves them out. */
export default defineConfig({
  test: {
    globalSetup: ['./tests/deploy/setup/deploy-setup.ts', './tests/setup/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: '.berth/deploy-report.json' }], new SlowestFiles()],
    include: ['tests/deploy/**/*.test.ts'],
    setupFiles: ['./tests/setup/wait-patiently.ts'],
    expect: { poll: { timeout: patienceMs } },
    testTimeout: 240_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    passWithNoTests: false,
    // Each starts servers that need the whole machine: a container engine, a node.
    fileParallelism: false,
  },
});
