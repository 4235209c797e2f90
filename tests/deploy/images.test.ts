import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, test } from 'vitest';
import { targets } from '../../scripts/images/image-names.ts';
import { repeatElsewhere } from '../../scripts/images/repeat-elsewhere.ts';
import { imageArchive } from './setup/images/image-archive.ts';
import { imageConfig } from './setup/images/image-config.ts';
import { UID } from './setup/service-container.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test(
  'each image has the same digest if it is built again from a copy of the checkout in another folder',
  async () => {
    const lines: string[] = [];
    // Taken from the first build, even if files have changed since.
    const { revision, created } = await imageConfig(imageArchive('auth'));

    await repeatElsewhere({
      root,
      targets,
      naming: { registry: undefined, tag: '0.1.0' },
      format: 'docker',
      base: undefined,
      output: dirname(imageArchive('auth')),
      commit: revision,
      epoch: created.getTime() / 1000,
      log: (line) => lines.push(line),
      signal: AbortSignal.timeout(15 * 60_000),
    });

    const same = targets.map((target) =>
      expect.stringMatching(new RegExp(`^berth-${target}.docker.tar: sha256:[0-9a-f]{64} twice$`)),
    );
    expect(lines.slice(-targets.length)).toEqual(same);
  },
  15 * 60_000,
);

test.for(targets)('the bill of materials of %s is valid CycloneDX 1.6', async (name) => {
  const file = join(dirname(imageArchive(name)), `berth-${name}.cdx.json`);
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);

  expect(await validator.validate(await readFile(file, 'utf8'))).toBe(null);
  // A document with a fault is refused, so the check works.
  expect(await validator.validate('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}')).not.toBe(null);
});

test.for(targets)(
  'the image of %s names itself, its version and its sources, and runs as an unprivileged user',
  async (target) => {
    const { title, version, revision, created, user } = await imageConfig(imageArchive(target));

    expect({ title, version, user }).toEqual({ title: `berth-${target}`, version: '0.1.0', user: `${UID}:${UID}` });
    expect(revision).toMatch(/^[0-9a-f]{40}(-modified)?$/);
    expect(created.getTime()).toBeGreaterThan(0);
  },
);
