import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseDocuments } from '../../packages/cli/src/sets/documents/parse-documents.ts';
import { kindOrder } from '../../packages/cli/src/sets/documents/set-document.ts';
import { setSchema } from './set-schema.ts';

const read = (name: string): Promise<string> => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/set.schema.json is the schema of the documents; npm run generate renews it', async () => {
  expect(await read('set.schema.json')).toBe(setSchema());
});

test('the documents in docs/sets.md are valid, one of each kind', async () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(await read('sets.md')) ?? [];

  const found = parseDocuments([{ name: 'sets.md', text }], { allowInline: false });

  expect(found.map(({ document }) => document.kind).toSorted()).toEqual(kindOrder.toSorted());
});
