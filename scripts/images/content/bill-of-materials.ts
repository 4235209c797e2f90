import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { byText } from '@berth/contracts/by-text';

const run = promisify(execFile);

export interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly 'bom-ref': string;
  readonly [field: string]: unknown;
}

/** The parts of a CycloneDX document that are used here. */
interface Bill {
  serialNumber: string;
  metadata: { timestamp?: string; component: { [field: string]: unknown; 'bom-ref': string } };
  components: Component[];
  dependencies?: { ref: string; dependsOn?: string[] }[];
}

export interface Content {
  readonly folder: string;
  readonly name: string;
  readonly pnpm: string;
}

export const billFile = 'bom.cdx.json';

/** Lists the packages installed in `folder` in its `bom.cdx.json`, with licences and digests. */
export async function writeBillOfMaterials({ folder, name, pnpm }: Content): Promise<void> {
  const args = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-spec-version',
    '1.6',
    '--sbom-type',
    'application',
    '--prod',
  ];
  const { stdout } = await run(pnpm, args, { cwd: folder, timeout: 120_000, maxBuffer: 64 * 1024 ** 2 });
  const bill: Bill = JSON.parse(stdout);
  const { version }: { version: string } = JSON.parse(
    await readFile(join(folder, 'packages/shared/contracts/package.json'), 'utf8'),
  );
  nameIt(bill, name, version);
  // Without the build time, so that equal content gives equal files.
  delete bill.metadata.timestamp;
  await write(folder, bill);
}

/** Adds the parts of an image that are not npm packages: Node, Helm, system packages. */
export async function addToBillOfMaterials(
  folder: string,
  name: string,
  components: readonly Component[],
): Promise<void> {
  const bill: Bill = JSON.parse(await readFile(join(folder, billFile), 'utf8'));
  nameIt(bill, name, String(bill.metadata.component['version']));
  const added = new Set(components.map((component) => component['bom-ref']));
  bill.components = [...bill.components.filter((known) => !added.has(known['bom-ref'])), ...components];
  await write(folder, bill);
}

function nameIt(bill: Bill, name: string, version: string): void {
  const { component } = bill.metadata;
  const ref = `${name}@${version}`;
  for (const dependency of bill.dependencies ?? []) if (dependency.ref === component['bom-ref']) dependency.ref = ref;
  bill.metadata.component = { type: 'application', name, version, 'bom-ref': ref };
}

async function write(folder: string, bill: Bill): Promise<void> {
  inOrder(bill);
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify({ ...bill, serialNumber: '' }))}`;
  await writeFile(join(folder, billFile), `${JSON.stringify(bill, null, 1)}\n`);
}

/**
 * pnpm lists packages in the order in which it finds them, and sometimes attributes a dependency of a workspace package to the
 * whole. Here packages are sorted and always attributed to the whole.
 */
function inOrder(bill: Bill): void {
  const root = bill.metadata.component['bom-ref'];
  const ofTheWhole = new Set<string>();
  for (const dependency of bill.dependencies ?? []) {
    if (dependency.ref !== root && !dependency.ref.startsWith('pkg:npm/%40berth/')) continue;
    for (const ref of dependency.dependsOn ?? []) ofTheWhole.add(ref);
    dependency.dependsOn = [];
  }
  const whole = bill.dependencies?.find(({ ref }) => ref === root);
  if (whole) whole.dependsOn = [...ofTheWhole];
  bill.components.sort((left, right) => byText(left['bom-ref'], right['bom-ref']));
  bill.dependencies?.sort((left, right) => byText(left.ref, right.ref));
  for (const { dependsOn } of bill.dependencies ?? []) dependsOn?.sort(byText);
}

/** A name-based UUID (version 8): the same for the same content. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 32).split('');
  hex[12] = '8';
  hex[16] = 'a';
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
