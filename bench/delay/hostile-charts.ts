import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@berth/contracts/fields/json';

/** A chart that tries to keep a service busy, with its worst inputs. */
export interface HostileChart {
  name: string;
  files: Record<string, string>;
  config?: JsonObject;
}

const repeat = <T>(times: number, make: (index: number) => T): T[] =>
  Array.from({ length: times }, (_, index) => make(index));

const valuesUi = (form: object) => ({
  'berth/values-ui.yaml': JSON.stringify({ apiVersion: 'berth.dev/v1beta1', kind: 'ValuesUi', ...form }),
});

const text = (id: string, more: object = {}) => ({ id, type: 'text', label: id, ...more });
const valueOf = (input: string) => ({ FieldValue: { input } });
const list = repeat(40, (index) => index);
const nested = (levels: number): unknown =>
  levels === 0 ? { '>': [{ val: [[2], 'zz'] }, 0] } : { all: [list, nested(levels - 1)] };

/** The largest charts that the catalogue accepts, and some that it must refuse. */
export const hostileCharts: readonly HostileChart[] = [
  { name: 'nested-rules', files: valuesUi({ inputs: [text('a', { showIf: nested(4) })] }) },
  { name: 'yaml-anchors', files: { 'berth/values-ui.yaml': '&a '.repeat(300_000) } },
  { name: 'large-package', files: { 'files/noise.txt': randomBytes(750_000).toString('base64') } },
  {
    name: 'many-rules',
    files: valuesUi({
      inputs: [
        { id: 'list', type: 'array', itemType: 'text', label: 'L' },
        ...repeat(490, (index) => text(`i${index}`, { showIf: { or: [false, { in: [0, { var: 'list' }] }] } })),
      ],
    }),
    config: { list: repeat(1_000, () => 'x') },
  },
  {
    name: 'texts-in-texts',
    files: valuesUi({
      inputs: [
        text('a'),
        text('b'),
        ...repeat(300, (index) => text(`i${index}`, { showIf: { in: [{ var: 'a' }, { var: 'b' }] } })),
      ],
    }),
    config: { a: `b${'a'.repeat(150_000)}`, b: 'a'.repeat(300_000) },
  },
  {
    name: 'many-options',
    files: valuesUi({
      inputs: repeat(9, (input) => ({
        id: `i${input}`,
        type: 'array',
        itemType: 'RadioSelect',
        label: 'I',
        options: repeat(900, (index) => ({ value: index })),
      })),
    }),
    config: Object.fromEntries(repeat(9, (input) => [`i${input}`, repeat(1_000, () => 'none')])),
  },
  {
    name: 'many-outputs',
    files: valuesUi({
      inputs: [text('a')],
      outputs: { values: repeat(2_000, (index) => ({ path: [`k${index}`], value: valueOf('a') })) },
    }),
    config: { a: 'x'.repeat(500_000) },
  },
  {
    name: 'many-cells',
    files: valuesUi({
      inputs: [text('a')],
      outputs: {
        values: repeat(200, (index) => ({ path: [`k${index}`, ...repeat(31, () => '[1023]')], value: valueOf('a') })),
      },
    }),
    config: { a: 'x' },
  },
  {
    name: 'many-inputs',
    files: valuesUi({
      inputs: repeat(500, (index) => text(`i${index}`, { showIfAll: [{ field: 'i0', value: 'x' }] })),
      outputs: { values: repeat(500, (index) => ({ path: ['a', `k${index}`], value: valueOf(`i${index}`) })) },
    }),
    config: Object.fromEntries(repeat(500, (index) => [`i${index}`, 'x'])),
  },
  {
    name: 'deep-changes',
    files: {},
    config: { ['k'.repeat(200_000)]: Object.fromEntries(repeat(9_000, (index) => [`k${index}`, index])) },
  },
];
