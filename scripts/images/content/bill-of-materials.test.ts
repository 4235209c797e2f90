import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addToBillOfMaterials, billFile } from './bill-of-materials.ts';

const library = (name: string) => {
  const purl = `pkg:npm/${name}@1.0.0`;
  return { type: 'library', name, version: '1.0.0', purl, 'bom-ref': purl };
};
const contracts = library('%40berth/contracts');

/** The bill of materials after Node was added to these components and dependencies. */
async function completed(components: object[], dependencies: object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const component = { type: 'application', name: 'berth-tasks', version: '0.1.0', 'bom-ref': 'berth-tasks@0.1.0' };
  const bill = {
    bomFormat: 'CycloneDX',
    serialNumber: crypto.randomUUID(),
    metadata: { component },
    components,
    dependencies,
  };
  await writeFile(join(folder, billFile), JSON.stringify(bill));
  await addToBillOfMaterials(folder, 'berth-tasks', [library('node')]);
  return readFile(join(folder, billFile), 'utf8');
}

test('a bill of materials does not depend on the order in which packages were found', async () => {
  const root = 'berth-tasks@0.1.0';
  const found = await completed(
    [contracts, library('pg'), library('zod')],
    [
      { ref: root, dependsOn: [contracts.purl, 'pkg:npm/zod@1.0.0'] },
      { ref: contracts.purl, dependsOn: ['pkg:npm/pg@1.0.0'] },
    ],
  );
  const foundOtherwise = await completed(
    [library('zod'), library('pg'), contracts],
    [
      { ref: contracts.purl, dependsOn: [] },
      { ref: root, dependsOn: ['pkg:npm/zod@1.0.0', 'pkg:npm/pg@1.0.0', contracts.purl] },
    ],
  );

  expect(found).toBe(foundOtherwise);
  expect(JSON.parse(found).components.map(({ name }: { name: string }) => name)).toEqual([
    '%40berth/contracts',
    'node',
    'pg',
    'zod',
  ]);
  expect(JSON.parse(found).dependencies).toContainEqual({
    ref: root,
    dependsOn: [contracts.purl, 'pkg:npm/pg@1.0.0', 'pkg:npm/zod@1.0.0'],
  });
});
