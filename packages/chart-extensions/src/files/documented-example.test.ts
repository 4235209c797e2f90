import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isExtensionPath } from './extension-files.ts';
import { readExtensions } from './read-extensions.ts';

const page = new URL('../../../../docs/charts.md', import.meta.url);

/** Files on the page: yaml blocks whose first line is a comment with the path. */
async function documentedFiles(): Promise<Map<string, string>> {
  const blocks = (await readFile(page, 'utf8')).matchAll(/^```yaml\n# (\S+)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, path = '', text = '']) => [path, text]));
}

test('the example of docs/charts.md has all four extensions and no errors', async () => {
  const files = await documentedFiles();
  const wanted = [...files].filter(([path]) => isExtensionPath(path));

  const { defects, ...extensions } = readExtensions(new Map(wanted));

  expect(defects).toEqual([]);
  expect(Object.entries(extensions).filter(([, extension]) => extension === null)).toEqual([]);
});
