import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.ts';

/** The folders and files in the first column of a README's first table, from top to bottom. */
export function orderInReadme(workspace: string): string[] {
  const file = join(root, workspace, 'README.md');
  if (!existsSync(file)) return [];
  const table =
    /^\|.*(?:\n\|.*)+/m.exec(readFileSync(file, 'utf8').replace(/[\s\S]*?(?=^\| *(?:Folder)\b)/m, ''))?.[0] ?? '';
  return table.split('\n').flatMap((row) => {
    const first = row.split('|')[1] ?? '';
    return [...first.matchAll(/`(?:src\/)?([^`]+?)\/?`/g)].map(([, name = '']) => name);
  });
}

/** The folders directly below a folder that contain code. */
export const roomsIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);
