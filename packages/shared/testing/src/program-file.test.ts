import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { programFile } from './program-file.ts';

const sourceOf = (service: string) =>
  fileURLToPath(new URL(`../../../../services/${service}/src/main.ts`, import.meta.url));

afterEach(() => void vi.unstubAllEnvs());

test('a service is started from its bundle if there is one, and otherwise from its source', async () => {
  const bundles = await mkdtemp(join(tmpdir(), 'berth-bundles-'));
  const bundle = join(bundles, 'services/auth/src/main.js');
  await mkdir(dirname(bundle), { recursive: true });
  await writeFile(bundle, '');

  vi.stubEnv('TEST_BUNDLES', bundles);
  expect([programFile(sourceOf('auth')), programFile(sourceOf('tasks'))]).toEqual([bundle, sourceOf('tasks')]);
  vi.stubEnv('TEST_BUNDLES', undefined);
  expect(programFile(sourceOf('auth'))).toBe(sourceOf('auth'));

  await rm(bundles, { recursive: true });
});
