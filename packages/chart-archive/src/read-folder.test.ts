import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tmpdir } from 'node:os';
import { readArchive } from './read-archive.ts';
import { readFolder } from './read-folder.ts';
import { chartTgz, chartYaml } from './testing/tgz.ts';

const form = 'apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs: []\n';

async function verdictOf(files: Record<string, string | Buffer>) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-chart-'));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return await readFolder(folder.path);
}

test.for([
  ['without extensions', { 'Chart.yaml': chartYaml(), 'templates/a.yaml': '{{' }],
  ['with a form', { 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml': form }],
  ['with a file of an unknown name', { 'Chart.yaml': chartYaml(), 'berth/more/values_ui.yaml': form }],
  ['of the older layout', { 'Chart.yaml': chartYaml(), 'features.json': '{"standard_ingress":true}' }],
  ['without Chart.yaml', { 'README.md': 'x' }],
  ['with a broken form', { 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml': `${form}outputs: 7\n` }],
  ['with a large form', { 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml': `# ${'x'.repeat(1024 * 1024)}` }],
] as [string, Record<string, string>][])(
  'the folder of a chart %s gets the verdict of its package',
  async ([, files]) => {
    expect(await verdictOf(files)).toEqual(await readArchive(await chartTgz(files)));
  },
);

test('a folder in place of a file is named', async () => {
  const { defects } = await verdictOf({ 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml/x': '' });

  expect(defects).toEqual([{ file: null, path: '', rule: 'berth/values-ui.yaml is not a file', line: null }]);
});

test('a file that is not text is named', async () => {
  const { defects } = await verdictOf({ 'Chart.yaml': Buffer.from([0xff, 0xfe]) });

  expect(defects).toEqual([{ file: null, path: '', rule: 'Chart.yaml is not UTF-8 text', line: null }]);
});

test('a folder that is missing is an error, not a verdict', async () => {
  await expect(readFolder(join(tmpdir(), 'berth-there-is-no-such-folder'))).rejects.toMatchObject({ code: 'ENOENT' });
});
