import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskOf } from './support/fake-tasks.ts';
import { type Running, startRunning } from './support/start-running.ts';

let running: Running;
beforeAll(async () => {
  running = await startRunning();
});
afterAll(() => running?.[Symbol.asyncDispose]());

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { from: chart }\n`;
const requirement = (name: string) =>
  `- { name: ${name}, version: 1.0.0, repository: "", condition: ${name}.enabled }\n`;
/** A chart of Helm 2, whose dependencies are in a file of their own. */
const older = {
  'Chart.yaml': 'apiVersion: v1\nname: older\nversion: 1.0.0\n',
  'requirements.yaml': `dependencies:\n${requirement('chosen')}${requirement('unwanted')}`,
  'values.yaml': 'chosen: { enabled: true }\nunwanted: { enabled: false }\n',
  'templates/map.yaml': map('older'),
  'charts/chosen/Chart.yaml': 'apiVersion: v1\nname: chosen\nversion: 1.0.0\n',
  'charts/chosen/templates/map.yaml': map('chosen'),
  'charts/unwanted/Chart.yaml': 'apiVersion: v1\nname: unwanted\nversion: 1.0.0\n',
  'charts/unwanted/templates/map.yaml': map('unwanted'),
};

test('a chart of apiVersion v1 is deployed, and its requirements.yaml decides on its dependencies', async () => {
  const { act, world } = running;
  const task = taskOf(await world.lateChart(async () => undefined, older));

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });

  const exists = (name: string) => act.exists(`/api/v1/namespaces/${task.namespace}/configmaps/${name}`);
  expect([await exists('older'), await exists('chosen'), await exists('unwanted')]).toEqual([true, true, false]);
});
