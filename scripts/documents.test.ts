import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const notOurs = new Set(['node_modules', 'dist', '.git', '.berth']);
const files = globSync('**/*.*', { cwd: root, exclude: (path) => notOurs.has(basename(path)) });
const documents = files.filter((file) => file.endsWith('.md'));

/** Documents whose paths readers follow when they change the code. */
const guides = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/flow.md',
  ...documents.filter((file) => /^(?:services|packages)\/.*README\.md$/.test(file)),
];

describe.each(documents)('%s', (document) => {
  test('links to files and headings that exist', () => {
    const broken = linksOf(document).filter(({ target, anchor }) => {
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });

    expect(broken.map(({ written }) => written)).toEqual([]);
  });
});

describe.each(guides)('%s', (document) => {
  test('names only files and folders that exist', () => {
    const missing = namedPaths(document).filter((path) => !exists(path));

    expect(missing).toEqual([]);
  });
});

describe.each(documents.filter((file) => /^docs\/decisions\/\d/.test(file)))('%s', (record) => {
  const text = readFileSync(join(root, record), 'utf8');
  const number = basename(record).slice(0, 4);

  test('has the form of all records and is listed', () => {
    const [title = '', , status = ''] = text.split('\n');
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    const optional = new Set(['Not taken', 'Measured']);

    expect(title).toMatch(new RegExp(`^# ${number}: \\S`));
    expect(status).toMatch(/^Accepted, \d{4}-\d{2}-\d{2}[.;]/);
    expect(sections).toEqual(
      ['Context', 'Decision', 'Not taken', 'Consequences', 'Measured'].filter(
        (name) => !optional.has(name) || sections.includes(name),
      ),
    );
    expect(readFileSync(join(root, 'docs/decisions/README.md'), 'utf8')).toContain(
      `[${number}](${basename(record)}) | ${title.slice(8)} |`,
    );
  });
});

function linksOf(document: string): { written: string; target: string; anchor: string | undefined }[] {
  const links = [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, written = '']) => written);
  return links
    .filter((written) => !/^[a-z]+:/.test(written))
    .map((written) => {
      const [path = '', anchor] = written.split('#');
      const target = path === '' ? document : relative(root, join(root, dirname(document), path));
      return { written, target, anchor };
    });
}

/** The anchors of headings, by GitHub's rules. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(document).matchAll(/^#+ +(.+)$/gm)) {
    const slug = heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/**
 * Words in backticks that look like paths. Rows of tables marked as new name files to be created. `tasks:` before a path, as in
 * docs/flow.md, stands for `services/tasks/src/`; in the README of a service or package, `src/` and `test/` are its own. A table
 * whose first column is "Below …" lists files that exist only at run time.
 */
function namedPaths(document: string): string[] {
  const own = basename(document) === 'README.md' ? `${dirname(document)}/` : '';
  return prose(document)
    .replace(/^\| Below .*(?:\n\|.*)*/gm, '')
    .split('\n')
    .filter((line) => !/\| new \|/.test(line))
    .flatMap((line) => {
      let folder = '';
      return [...line.matchAll(/`([^`\s]+)`/g)].flatMap(([, name = '']) => {
        const service = /^([a-z-]+):$/.exec(name)?.[1];
        if (service !== undefined) folder = `services/${service}/src/`;
        if (!/\.(?:ts|mjs|sql|json|ya?ml|md|tpl)$|\/$/.test(name) || /[<*]/.test(name)) return [];
        if (own !== '' && /^(?:src|test)\//.test(name)) return [own + name];
        return existsSync(join(root, name)) ? [name] : [folder + name];
      });
    });
}

/** Folders that commands make, such as `.berth/`; a fresh checkout has none of them. */
const made = readFileSync(join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean);

/** Either a path from the root, or an unambiguous end of one. */
function exists(path: string): boolean {
  if (made.some((folder) => path.startsWith(folder))) return true;
  if (existsSync(join(root, path))) return path.endsWith('/') === statSync(join(root, path)).isDirectory();
  if (path.startsWith('services/') || path.startsWith('packages/')) return false;
  return files.some((file) => (path.endsWith('/') ? `/${file}`.includes(`/${path}`) : `/${file}`.endsWith(`/${path}`)));
}

/** The document without code blocks. */
function prose(document: string): string {
  return readFileSync(join(root, document), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}
