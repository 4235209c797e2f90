import { mkdir, writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated-files.ts';

const root = new URL('../../../', import.meta.url);

for (const [path, text] of Object.entries(await generatedFiles(root))) {
  const file = new URL(path, root);
  await mkdir(new URL('./', file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`wrote ${path}\n`);
}
