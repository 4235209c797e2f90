// `npm run images`: builds all images from the contents that `npm run build` has made.
import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureTools } from '../../packages/devstack/src/tools/ensure-tools.ts';
import { toolTable } from '../../packages/devstack/src/tools/tool-table.ts';
import { versionOfTool } from '../../packages/devstack/src/tools/version-of-tool.ts';
import { makeBaseImage } from './base-image.ts';
import { type ArchiveFormat, buildWithBuildah } from './build-with-buildah.ts';
import { buildWithDocker } from './build-with-docker.ts';
import { type Builder, chooseBuilder, lookAtMachine } from './choose-builder.ts';
import { addHelm } from './content/add-helm.ts';
import { addToBillOfMaterials, billFile, type Component } from './content/bill-of-materials.ts';
import { digestOf } from './digest-of.ts';
import { type Naming, type Target, targets } from './image-names.ts';
import { repeatElsewhere } from './repeat-elsewhere.ts';
import { sourceRevision } from './source-revision.ts';

const usage = `npm run images [-- options]
  --only NAME          this image only; may be repeated: ${targets.join(', ')}
  --registry PREFIX    as in registry.example.com/berth; without one: the bare names
  --tag TAG            without one: the version
  --builder NAME       docker or buildah; without one: docker where an engine answers
  --base IMAGE         the base image; without one: node:24-bookworm-slim with docker, one of Debian's packages with buildah
  --format NAME        buildah only: archives in the format oci or docker; may be repeated; without one: oci
  --output FOLDER      where archives and bills of materials go; without one: dist/images
  --check-reproducible buildah only: builds them once more from a copy of the checkout, and fails where a digest differs`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const say = (line: string) => void process.stdout.write(`${line}\n`);

function options() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      registry: { type: 'string' },
      tag: { type: 'string' },
      builder: { type: 'string' },
      base: { type: 'string' },
      format: { type: 'string', multiple: true },
      output: { type: 'string' },
      'check-reproducible': { type: 'boolean' },
    },
  });
  return {
    only: values.only ? values.only.map((name) => oneOf(targets, name, '--only')) : targets,
    registry: values.registry,
    tag: values.tag,
    builder:
      values.builder === undefined ? undefined : oneOf<Builder>(['docker', 'buildah'], values.builder, '--builder'),
    base: values.base,
    formats: (values.format ?? ['oci']).map((name) => oneOf<ArchiveFormat>(['oci', 'docker'], name, '--format')),
    output: values.output ?? join(root, 'dist/images'),
    checkReproducible: values['check-reproducible'] ?? false,
  };
}

function oneOf<T extends string>(known: readonly T[], value: string, option: string): T {
  const found = known.find((name) => name === value);
  if (found === undefined) throw new Error(`${option} is one of ${known.join(', ')}, not "${value}"\n${usage}`);
  return found;
}

/** The version of Berth, and that of Node in the lockfile. */
async function versions(): Promise<{ berth: string; node: string }> {
  const read = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'));
  const { version }: { version: string } = await read('packages/shared/contracts/package.json');
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = await read('package.json');
  return { berth: version, node: optionalDependencies[`node-linux-${process.arch}`] ?? '' };
}

async function main(signal: AbortSignal): Promise<void> {
  const { only, registry, formats, output, checkReproducible, ...wish } = options();
  const choice = chooseBuilder(await lookAtMachine(process.env), wish);
  if (process.platform !== 'linux') {
    throw new Error(
      'The contents of the images are those of Linux: run this on Linux, for example in node:24-bookworm.',
    );
  }
  const version = await versions();
  const naming: Naming = { registry, tag: wish.tag ?? version.berth };
  const { commit, epoch } = await sourceRevision(root, process.env);
  const created = new Date(epoch * 1000).toISOString().replace('.000', '');
  const buildArguments = { VERSION: version.berth, REVISION: commit, CREATED: created };
  await mkdir(output, { recursive: true });

  const baseFolder = join(output, 'base');
  const needsBase = choice.base === undefined;
  if (needsBase) say('making the base image from packages of Debian');
  const node = { program: process.execPath, version: version.node };
  const made = needsBase
    ? await makeBaseImage({ folder: baseFolder, node, epoch, path: process.env['PATH'], signal })
    : undefined;
  for (const target of only) {
    const shell = target === 'runner' ? made?.shell.components : undefined;
    await complete(target, [...(made?.components ?? []), ...(shell ?? [])], output, signal);
  }

  const common = { root, targets: only, naming, buildArguments, epoch, log: say, signal };
  say(`building ${only.length} images with ${choice.builder}`);
  if (choice.builder === 'docker' && choice.base !== undefined) {
    await buildWithDocker({ ...common, base: choice.base, environment: process.env });
  } else {
    const base = made ?? { name: choice.base ?? '' };
    await buildWithBuildah({ ...common, base, formats, output });
    for (const target of only)
      for (const format of formats) await report(join(output, `berth-${target}.${format}.tar`));
  }
  await rm(baseFolder, { recursive: true, force: true });
  if (checkReproducible) {
    if (choice.builder === 'docker') throw new Error('--check-reproducible needs the archives of --builder buildah');
    const [format = 'oci'] = formats;
    await repeatElsewhere({
      root,
      targets: only,
      naming,
      format,
      base: choice.base,
      output,
      commit,
      epoch,
      log: say,
      signal,
    });
  }
}

/** Adds Helm to the runner, and all parts that are not npm packages to the bill of materials. */
async function complete(
  target: Target,
  ofTheBase: readonly Component[],
  output: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(root, 'dist', target);
  const helm = target === 'runner' ? await addHelm(folder, await helmProgram(signal)) : [];
  await addToBillOfMaterials(folder, `berth-${target}`, [...ofTheBase, ...helm]);
  await copyFile(join(folder, billFile), join(output, `berth-${target}.cdx.json`));
}

async function helmProgram(signal: AbortSignal) {
  const { helm: program } = await ensureTools({ names: ['helm'], env: process.env, log: say, signal });
  // The one on the PATH may have another version.
  return { program, version: (await versionOfTool(toolTable.helm, program, signal)) ?? toolTable.helm.version };
}

async function report(file: string): Promise<void> {
  say(`${file}: ${((await stat(file)).size / 1e6).toFixed(1)} MB, ${await digestOf(file)}`);
}

try {
  await main(AbortSignal.timeout(45 * 60_000));
} catch (error) {
  process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
