import { defineConfig } from 'vitest/config';
import { atOnce } from './tests/setup/at-once.ts';
import { Interleaved } from './tests/setup/interleaved.ts';
import { ChangedFiles } from './tests/setup/changed-files.ts';
import { patienceMs, patienceOfTestMs } from './tests/setup/patience.ts';
import { SlowestFiles } from './tests/setup/slowest-files.ts';

export default defineConfig({
  test: {
    globalSetup: ['./tests/setup/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: '.berth/test-report.json' }], new SlowestFiles()],
    setupFiles: ['./tests/setup/wait-patiently.ts'],
    expect: { poll: { timeout: patienceMs } },
    testTimeout: patienceOfTestMs,
    hookTimeout: patienceOfTestMs,
    teardownTimeout: 30_000,
    passWithNoTests: false,
    sequence: { sequencer: Interleaved },
    experimental: { vcsProvider: new ChangedFiles() },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: [
            'packages/{*,shared/*}/{src,test}/**/*.test.ts',
            'services/*/{src,test}/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.ts',
            'tests/setup/**/*.test.ts',
          ],
          sequence: { groupOrder: 0 },
          maxWorkers: atOnce.files,
          // Files share a process and what it has loaded, which would otherwise be most of their work. Each has servers and
          // databases of its own, and gives back what it changes of the process.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'platform',
          include: ['tests/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'tests/setup/**', 'tests/last/**', 'tests/deploy/**'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Each file has a whole platform to itself, and spends much of its time waiting for outages to pass, while the parts run.
          maxWorkers: atOnce.files,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Judges what the tests before it have recorded.
        extends: true,
        test: { name: 'last', include: ['tests/last/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
