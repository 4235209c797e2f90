import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chartTgz } from '@berth/chart-archive/testing/tgz';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Grounds } from './grounds/grounds.ts';
import { createBerth } from './grounds/run-berth.ts';

const form = (inputs: string, outputs: string) =>
  `apiVersion: berth.dev/v1beta1\nkind: ValuesUi\ninputs:\n${inputs}\noutputs: ${outputs}\n`;
const good = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.0\n',
  'berth/values-ui.yaml': form(
    '  - { id: greeting, type: text, label: Greeting, required: true }\n  - { id: replicas, type: number, label: Replicas, minimum: 1 }\n  - { id: token, type: CollectionSelect, label: Token, collection: secrets }',
    JSON.stringify({
      values: [
        { path: ['web', 'greeting'], value: { FieldValue: { input: 'greeting' } } },
        { path: ['replicas'], value: { FieldValue: { input: 'replicas' } } },
      ],
      secrets: { token: { value: { FieldProperty: { input: 'token', property: 'contents' } } } },
    }),
  ),
};
const bad = {
  ...good,
  'berth/values-ui.yaml': form('  - { id: a, type: text, label: A }\n  - { id: b, type: colour, label: B }', '{}'),
};

/** `chart lint` and `chart preview`, without a platform. */
export function testCheckingCharts(grounds: () => Grounds): void {
  describe('berth, for authors of charts', () => {
    let folder: string;
    let berth: ReturnType<typeof createBerth>;

    async function write(name: string, files: Record<string, string>): Promise<string> {
      for (const [path, text] of Object.entries(files)) {
        const file = join(folder, name, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
      }
      await writeFile(join(folder, `${name}.tgz`), await chartTgz(files));
      return join(folder, name);
    }

    let [right, wrong] = ['', ''];

    beforeAll(async () => {
      folder = join(grounds().folder, 'charts');
      berth = createBerth(grounds().program, { BERTH_CONFIG: '/nowhere.json' }, []);
      [right, wrong] = await Promise.all([write('right', good), write('wrong', bad)]);
    });

    test.concurrent('lint names file, line, field and rule of each defect, in a folder and in its package', async () => {
      expect(await berth(['chart', 'lint', right])).toEqual({ code: 0, out: '', err: 'shop 1.2.0 has no defects\n' });
      const found = await berth(['chart', 'lint', wrong]);
      expect(found).toMatchObject({
        code: 1,
        out: expect.stringMatching(/^berth\/values-ui\.yaml:5: inputs\[1\]\.type: /),
        err: expect.stringContaining('the chart could not be deployed (defects: 1)'),
      });
      expect(await berth(['chart', 'lint', `${wrong}.tgz`])).toEqual(found);
      expect(JSON.parse((await berth(['chart', 'lint', wrong, '--json'])).out)).toMatchObject({
        defects: [{ file: 'berth/values-ui.yaml', line: 5, path: 'inputs[1].type' }],
      });
    });

    test.concurrent('lint refuses files and folders that are no chart', async () => {
      await mkdir(join(folder, 'empty'), { recursive: true });
      await writeFile(join(folder, 'text.tgz'), 'text');

      expect(await berth(['chart', 'lint', join(folder, 'missing')])).toMatchObject({ code: 2 });
      expect(await berth(['chart', 'lint', join(folder, 'empty')])).toMatchObject({
        code: 1,
        out: expect.stringContaining('Chart.yaml'),
      });
      expect(await berth(['chart', 'lint', join(folder, 'text.tgz')])).toMatchObject({ code: 1 });
      expect(await berth(['chart', 'lint', '/dev/null'])).toMatchObject({ code: 2 });
    });

    test.concurrent('preview shows the values and Secrets for inputs, and refuses what the form refuses', async () => {
      const chart = right;
      const inputs = ['--set', 'greeting=Hello', '--set', 'replicas=2'];
      const outputs = { values: { web: { greeting: 'Hello' }, replicas: 2 } };

      expect(JSON.parse((await berth(['chart', 'preview', chart, ...inputs, '--json'])).out)).toEqual({
        ...outputs,
        secrets: {},
      });
      expect(
        await berth([
          'chart',
          'preview',
          `${chart}.tgz`,
          ...inputs,
          '--set',
          'token=11111111-1111-4111-8111-111111111111',
        ]),
      ).toMatchObject({
        code: 0,
        out: expect.stringContaining('value: <contents of 11111111-1111-4111-8111-111111111111>'),
      });
      expect(await berth(['chart', 'preview', chart, '--set', 'replicas=0', '--set', 'more=1'])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(
          /inputs\.more: is not an input[^]*inputs\.greeting: is required[^]*inputs\.replicas: /,
        ),
      });
      expect(await berth(['chart', 'preview', wrong])).toMatchObject({ code: 1, out: '' });
    });
  });
}
