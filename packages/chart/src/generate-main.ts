import { mkdir, writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../../../', import.meta.url);
const chart = new URL('deploy/berth/', root);

for (const [path, text] of Object.entries(await generatedFiles(root))) {
  const file = new URL(path, chart);
  await mkdir(new URL('./', file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`wrote deploy/berth/${path}\n`);
}
