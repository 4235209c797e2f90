import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { callerNames } from '@berth/shared/contracts/contract';
import { expect, test } from 'vitest';
import { repeatElsewhere } from '../../scripts/images/repeat-elsewhere.ts';
import { sourceRevision } from '../../scripts/images/source-revision.ts';
import { imageArchive } from './setup/image-archive.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test(
  'an image has the same digest when it is built once more, from a copy of the checkout in another folder',
  async () => {
    const lines: string[] = [];

    await repeatElsewhere({
      root,
      targets: ['auth'],
      naming: { registry: undefined, tag: '0.1.0' },
      format: 'docker',
      base: undefined,
      output: dirname(imageArchive('auth')),
      ...(await sourceRevision(root, process.env)),
      log: (line) => lines.push(line),
      signal: AbortSignal.timeout(15 * 60_000),
    });

    expect(lines.at(-1)).toMatch(/^berth-auth.docker.tar: sha256:[0-9a-f]{64} twice$/);
  },
  15 * 60_000,
);

test.for(callerNames)('the bill of materials of %s is CycloneDX 1.6 by its published schema', async (name) => {
  const file = join(dirname(imageArchive(name)), `berth-${name}.cdx.json`);
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

  expect(await validator.validate(await readFile(file, 'utf8'))).toBe(null);
  // It would find what is wrong.
  expect(await validator.validate('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}')).not.toBe(null);
});
