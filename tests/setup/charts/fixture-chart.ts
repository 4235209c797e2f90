import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FixtureChart extends AsyncDisposable {
  folder: string;
}

/** A copy of a chart with another name and some files replaced. */
export async function fixtureChart({
  name,
  base,
  files = {},
}: {
  name: string;
  base: string;
  files?: Record<string, string>;
}): Promise<FixtureChart> {
  const root = await mkdtemp(join(tmpdir(), 'berth-fixture-'));
  const folder = join(root, name);
  await cp(base, folder, { recursive: true });
  const manifest = join(folder, 'Chart.yaml');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/^name: .*$/m, `name: ${name}`));
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
  return { folder, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}
