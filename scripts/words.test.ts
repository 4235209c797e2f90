import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const glossary = 'docs/glossary.md';
const notOurs = new Set(['node_modules', 'dist', '.git', '.berth', 'migrations']);
const files = globSync('**/*.{ts,mjs,js,md,sql,yaml,tpl,sh}', {
  cwd: root,
  // What is built of the console contains libraries.
  exclude: (path) => notOurs.has(basename(path)) || path.endsWith('api-gateway/console'),
}).filter((file) => file !== glossary && basename(file) !== 'pnpm-lock.yaml');

interface Unused {
  written: string;
  instead: string;
  pattern: RegExp;
  /** Whole names are compared as written; other words in lower case, with names split into their parts. */
  isName: boolean;
  exceptions: string[];
}

const unused = wordsNotUsed(readFileSync(join(root, glossary), 'utf8'));

test('the glossary names words that are not used', () => {
  expect(unused.length).toBeGreaterThan(10);
});

test('sources, tests, chart files and documents use no word that the glossary replaces', () => {
  const uses = files.flatMap((file) => usesIn(file, readFileSync(join(root, file), 'utf8')));

  expect(uses).toEqual([]);
});

function wordsNotUsed(text: string): Unused[] {
  const [, table = ''] = /^\| Not used \|.*\n\| --- .*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  return table
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [words = '', instead = '', except = ''] = row
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim());
      const exceptions = except.replace(/ ?\|$/, '').split(', ').filter(Boolean);
      return words.split(', ').map((written) => ({
        written,
        instead,
        isName: /^\p{Lu}/u.test(written),
        pattern: new RegExp(`(?<![\\p{L}\\d])${written}(?![\\p{L}\\d])`, 'u'),
        exceptions,
      }));
    });
}

function usesIn(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const prose = inWords(line);
    return unused
      .filter(({ isName, pattern, exceptions }) => pattern.test(isName ? line : without(prose, exceptions)))
      .map(({ written, instead }) => `${file}:${index + 1} has “${written}”: ${instead}`);
  });
}

/** `syncEvery` and `sync_every` as separate words. */
const inWords = (line: string): string =>
  line
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

const without = (line: string, exceptions: readonly string[]): string =>
  exceptions.reduce((rest, exception) => rest.replaceAll(exception, ''), line);
