import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toolsForTest } from '@berth/devstack/testing/with-servers';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

const run = promisify(execFile);

export const root = new URL('../../../../', import.meta.url);
export const chart = fileURLToPath(new URL('deploy/berth/', root));

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    annotations: z.record(z.string(), z.string()).nullish(),
    labels: z.record(z.string(), z.string()).nullish(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;
export type Values = Record<string, unknown>;

/** A trial may be rendered without a cluster, as most of these tests do. */
const ofTrial: Values = { image: { registry: 'registry.example.com/berth' }, trial: true };

/** Values that each installation needs. */
export const needed: Values = {
  global: { ...ofTrial, ownUrl: 'https://berth.example.com' },
  auth: { oidc: { issuer: 'https://id.example.com', existingSecret: 'berth-oidc' } },
};

/** With the bundled servers. */
export const bundled: Values = { global: { ...ofTrial, postgresql: { bundled: true }, nats: { bundled: true } } };

export const merged = (...all: Values[]): Values => all.reduce((left, right) => mergedTwo(left, right), {});

function mergedTwo(left: Values, right: Values): Values {
  const entries = Object.entries(right).map(([name, value]) => {
    const before = left[name];
    return [name, isMap(value) && isMap(before) ? mergedTwo(before, value) : value] as const;
  });
  return { ...left, ...Object.fromEntries(entries) };
}

const isMap = (value: unknown): value is Values => z.record(z.string(), z.unknown()).safeParse(value).success;

export interface HelmInTest extends AsyncDisposable {
  /** The output of a Helm command with these values; throws Helm's error output. */
  helm(args: readonly string[], values?: Values): Promise<string>;
  /** The objects of a release `ship` in the namespace `ships`. */
  render(values: Values, ...args: string[]): Promise<Manifest[]>;
  /** The notes that Helm prints after installing that release. */
  notes(values: Values): Promise<string>;
}

export async function startHelm(env: Record<string, string> = {}): Promise<HelmInTest> {
  const { helm: binary } = await toolsForTest('helm');
  const folder = await mkdtemp(join(tmpdir(), 'berth-chart-'));
  let files = 0;

  const helm = async (args: readonly string[], values?: Values) => {
    const file = join(folder, `${(files += 1)}.yaml`);
    if (values) await writeFile(file, stringify(values));
    // It ends before its garbage would fill the memory.
    const options = {
      env: { HOME: folder, PATH: '', GOGC: 'off', GOMEMLIMIT: '512MiB', ...env },
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
    };
    const { stdout } = await run(binary, [...args, ...(values ? ['--values', file] : [])], options).catch(
      (error: unknown) => {
        const { stderr } = z.object({ stderr: z.string() }).parse(error);
        throw new Error(stderr, { cause: error });
      },
    );
    return stdout;
  };

  return {
    helm,
    render: async (values, ...args) =>
      manifestsOf(await helm(['template', 'ship', chart, '-n', 'ships', ...args], values)),
    notes: async (values) => {
      const release = await helm(['install', 'ship', chart, '-n', 'ships', '--dry-run=client', '-o', 'json'], values);
      return Release.parse(JSON.parse(release)).info.notes;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const Release = z.object({ info: z.object({ notes: z.string() }) });

export const manifestsOf = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((object) => object !== null)
    .map((object) => Manifest.parse(object));

const Container = z.looseObject({
  name: z.string(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).optional(),
});
const PodSpec = z.looseObject({
  containers: z.array(Container),
  initContainers: z.array(Container).optional(),
  volumes: z.array(z.looseObject({})).optional(),
});
const WithTemplate = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({ spec: PodSpec }),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })).optional(),
  }),
});

/** The pod of a workload, with an emptyDir in place of each claim. */
export function podOf(manifest: Manifest): z.infer<typeof PodSpec> | undefined {
  if (manifest.kind === 'Pod') return z.object({ spec: PodSpec }).parse(manifest).spec;
  const workload = WithTemplate.safeParse(manifest).data?.spec;
  if (!workload) return undefined;
  const { template, volumeClaimTemplates = [] } = workload;
  const claimed = volumeClaimTemplates.map(({ metadata: { name } }) => ({ name, emptyDir: {} }));
  return { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claimed] };
}
