import { errorOf } from '@berth/chart-extensions/files/chart-defect';
import { describe, expect, test } from 'vitest';
import { chartYaml } from './testing/tgz.ts';
import { parseChart } from './parse-chart.ts';

function parse(files: Record<string, string>) {
  const { defects, ...chart } = parseChart(new Map(Object.entries(files)));
  return { ...chart, error: errorOf(defects) };
}

describe('parseChart', () => {
  test('reads a chart without extensions', () => {
    expect(parse({ 'Chart.yaml': chartYaml() })).toEqual({
      metadata: { name: 'web', version: '1.2.3', git_commit: null, git_branch: null },
      values_ui: null,
      actions_schema: null,
      features: null,
      resource_types: null,
      error: null,
    });
  });

  test('prefers annotations of Berth to those of the upstream project', () => {
    const annotations = {
      'berth.dev/git/commit': 'ours',
      'platz.io/git/commit': 'theirs',
      'platz.io/git/branch': 'main',
      'example.com/other': 'x',
    };

    expect(parse({ 'Chart.yaml': chartYaml({ annotations }) }).metadata).toMatchObject({
      git_commit: 'ours',
      git_branch: 'main',
    });
  });

  test('reads the extensions', () => {
    const features = 'apiVersion: berth.dev/v1beta2\nkind: Features\nspec: { cardinality: OnePerCluster }';

    expect(parse({ 'Chart.yaml': chartYaml(), 'berth/features.yaml': features })).toMatchObject({
      error: null,
      features: { cardinality: 'OnePerCluster' },
    });
  });

  test.for([
    ['the older form', 'apiVersion: v1\nname: web\nversion: 1.2.3'],
    ['no apiVersion', 'name: web\nversion: 1.2.3'],
    ['a type that is empty', 'apiVersion: v2\nname: web\nversion: 1.2.3\ntype:'],
    [
      'a byte order mark, line ends of Windows and a document mark',
      '\ufeff---\r\nname: web\r\nversion: 1.2.3\r\n...\r\n',
    ],
    ['a second document', 'name: web\nversion: 1.2.3\n---\nname: other'],
    ['a member twice', 'name: other\nname: web\nversion: 1.2.3'],
    [
      'annotations of every kind',
      'name: web\nversion: 1.2.3\nannotations: { constructor: 1, a/b: true, c: "\\0", d: }',
    ],
    [
      'fields that are not read',
      'name: web\nversion: 1.2.3\nx: .inf\nicon: "data:\\0"\ndescription: "\\ud83d"\nkubeVersion: ">=1.19-0"',
    ],
    ['anchors', 'x: &x { version: 1.2.3 }\n<<: *x\nname: &n web\ndescription: *n'],
  ] as const)('accepts a Chart.yaml with %s', ([, text]) => {
    expect(parse({ 'Chart.yaml': new TextDecoder().decode(Buffer.from(text)) })).toMatchObject({
      metadata: { name: 'web', version: '1.2.3' },
      error: null,
    });
  });

  test('converts numbers to text as Helm does, and cuts long annotations', () => {
    const annotations = `berth.dev/git/commit: 1234567\n  berth.dev/git/branch: ${'b'.repeat(300)}`;

    const { metadata, error } = parse({ 'Chart.yaml': `name: 7\nversion: 1.20\nannotations:\n  ${annotations}` });

    expect(error).toBeNull();
    expect(metadata).toEqual({ name: '7', version: '1.2', git_commit: '1234567', git_branch: 'b'.repeat(200) });
  });

  test.for([
    ['a missing Chart.yaml', {}, /^Chart.yaml: is missing/],
    ['broken YAML', { 'Chart.yaml': 'a: [' }, /^Chart.yaml: is not valid YAML/],
    ['a list in place of an object', { 'Chart.yaml': '- a' }, /^Chart.yaml: /],
    ['an unknown apiVersion', { 'Chart.yaml': chartYaml({ apiVersion: 'v3' }) }, /apiVersion: must be v1 or v2/],
    ['a library', { 'Chart.yaml': chartYaml({ type: 'library' }) }, /type: must be application: a library cannot be/],
    ['a name that is a path', { 'Chart.yaml': chartYaml({ name: '..' }) }, /name: must not be a path/],
    ['no version', { 'Chart.yaml': chartYaml({ version: null }) }, /version: is required/],
    ['an alias bomb', { 'Chart.yaml': aliasBomb() }, /^Chart.yaml: is not valid YAML/],
    [
      'a broken extension',
      { 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml': 'apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs: 7' },
      /^berth\/values-ui.yaml: inputs: /,
    ],
  ] as [string, Record<string, string>, RegExp][])('reports %s as the error of the chart', ([, files, words]) => {
    const { error, values_ui } = parse(files);

    expect(error).toMatch(words);
    expect(values_ui).toBeNull();
  });

  test.for([
    ['a field of Chart.yaml', { 'Chart.yaml': 'name: web\n\nversion: 1.2.3\ntype: library' }, 4],
    ['a missing field of Chart.yaml', { 'Chart.yaml': '# web\nname: web' }, 2],
    ['broken YAML', { 'Chart.yaml': 'name: web\nversion: [' }, 2],
    [
      'a field of an extension',
      {
        'Chart.yaml': chartYaml(),
        'berth/features.yaml': 'apiVersion: berth.dev/v1beta2\nkind: Features\nspec:\n  x: 1',
      },
      4,
    ],
    ['a missing file', {}, null],
  ] as [string, Record<string, string>, number | null][])('gives the line of %s', ([, files, line]) => {
    const { defects } = parseChart(new Map(Object.entries(files)));

    expect(defects.map((defect) => defect.line)).toEqual([line]);
  });

  test('keeps the metadata of a chart whose extension is broken', () => {
    expect(parse({ 'Chart.yaml': chartYaml(), 'berth/features.yaml': 'x' })).toMatchObject({
      metadata: { version: '1.2.3' },
      error: expect.stringContaining('berth/features.yaml: '),
    });
  });

  test('refuses extensions that are too large for one message', () => {
    const inputs = Array.from({ length: 400 }, (_, index) => ({
      id: `i${index}`,
      type: 'text',
      label: 'x'.repeat(400),
    }));
    const valuesUi = JSON.stringify({ apiVersion: 'berth.dev/v1beta1', kind: 'ValuesUi', inputs });

    expect(parse({ 'Chart.yaml': chartYaml(), 'berth/values-ui.yaml': valuesUi }).error).toContain('larger than');
  });
});

function aliasBomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const previous = level === 0 ? 'x' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 10 }, () => previous).join(', ')}]`;
  });
  return levels.join('\n');
}
