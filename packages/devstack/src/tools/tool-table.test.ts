import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { builtName } from './go-build.ts';
import { nodeToolNames, type Tool, toolNames, toolTable } from './tool-table.ts';
import { isInRange } from './version-range.ts';

const tools: [string, Tool][] = Object.entries(toolTable);
const goMod = await readFile(new URL('../../tools/go.mod', import.meta.url), 'utf8');

test.for(tools)('the Go module builds %s at the version of the table', ([, { goPackage, version }]) => {
  expect(goMod).toContain(`\t${goPackage}\n`);
  const required = [...goMod.matchAll(/^\t(\S+) v(\S+)/gm)].find(([, module = '']) => goPackage.startsWith(module));
  expect(required?.[2]).toBe(version);
});

test.for(tools)(
  'the version of %s that is installed would also be accepted on the machine',
  ([, { version, accepts }]) => {
    expect(isInRange(version, accepts)).toBe(true);
  },
);

test('go build names a program after the last path element that is not a version', () => {
  expect(tools.map(([, tool]) => builtName(tool))).toEqual([
    'helm',
    'nats-server',
    'server',
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kubelet',
    'kube-proxy',
    'kwok',
    'registry',
  ]);
});

test('every tool belongs to every stack or to a real node', () => {
  expect([...toolNames, ...nodeToolNames].sort()).toEqual(Object.keys(toolTable).sort());
});
