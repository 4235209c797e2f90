import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stripTypes } from './strip-types.ts';

test('sources lose only their types, and external packages are unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-types-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = "import type { A } from './a.ts';\nexport const b = (a: A): string => `${a.name} // ü`;\n";
  const files = { 'services/x/b.ts': source, 'services/x/note.json': '{}', 'node_modules/y/b.ts': source };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }

  await stripTypes(folder);

  const read = (name: string) => readFile(join(folder, name), 'utf8');
  expect(await read('services/x/b.ts')).toBe(
    `${' '.repeat(32)}\nexport const b = (a   )         => \`\${a.name} // ü\`;\n`,
  );
  expect(await read('services/x/note.json')).toBe('{}');
  expect(await read('node_modules/y/b.ts')).toBe(source);
});
