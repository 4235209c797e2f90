import { randomUUID } from 'node:crypto';
import type { DryRun } from '@berth/contracts/resources/tasks/dry-runs';
import type { ClaimedTask } from '@berth/contracts/resources/tasks/runner-tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { taskOf } from './support/fake-tasks.ts';
import { actionsIn, soon } from './support/helm-actions.ts';
import { type RunnerProcess, type RunnerWorld, startRunnerWorld } from './support/runner-world.ts';

let world: RunnerWorld;
let runner: RunnerProcess;
let act: ReturnType<typeof actionsIn>;
beforeAll(async () => {
  world = await startRunnerWorld({ chartFiles: hostileChart });
  act = actionsIn(world);
  runner = await world.start({ RUNNER_HELM_CPU_SECONDS: '3' });
});
afterAll(async () => {
  await runner?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const hostileChart = {
  'Chart.yaml': 'apiVersion: v2\nname: hostile\nversion: 1.0.0\n',
  'values.yaml': 'text: ""\nnotes: ""\n',
  'templates/any.yaml': '{{ tpl .Values.text . }}\n',
  'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: probe }\n',
  'templates/NOTES.txt': '{{ tpl .Values.notes . }}\n',
};

const threeGigabytes = '# {{ repeat 3000000000 "x" | len }}';
const spin = '{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}';
/** More than is read, and little enough for the memory of one Helm. */
const endlessNotes = '{{ repeat 1500000 "a\\n" }}';

const hostile = (values: Record<string, string>): ClaimedTask =>
  taskOf(world.chart, { values, wait: { enabled: false, timeout_secs: 10 } });

const dryRunOf = ({ deployment_id, cluster_id, namespace, chart, values }: ClaimedTask): DryRun => ({
  task_id: randomUUID(),
  fence: 7,
  action: 'deploy',
  deployment_id,
  cluster_id,
  namespace,
  chart,
  values,
  secrets: {},
  confidential: [],
  within_ms: 60_000,
});

async function planned(task: ClaimedTask) {
  const run = dryRunOf(task);
  world.tasks.giveDryRun(run);
  return soon('the outcome of the dry run', () => world.tasks.outcomeOf(run.task_id));
}

const memory = expect.stringContaining('The chart needs more than 192 MiB of memory');
const cpu = expect.stringMatching('The chart needs more than . s of processor time');

describe('a chart that takes more than its share fails for good', () => {
  test('a template of three gigabytes, in a task', async () => {
    const task = hostile({ text: threeGigabytes });

    expect(await act.run(task)).toMatchObject({ outcome: 'Failed', reason: memory });
    expect(world.tasks.textOf(task.task_id)).not.toContain('goroutine');
  });

  test('a template of three gigabytes, in a plan', async () => {
    expect(await planned(hostile({ text: threeGigabytes }))).toEqual({ failure: { refused: true, reason: memory } });
  });

  test('a template that spins, in a task', async () => {
    expect(await act.run(hostile({ text: spin }))).toMatchObject({ outcome: 'Failed', reason: cpu });
  });

  test('a template that spins, in a plan', async () => {
    expect(await planned(hostile({ text: spin }))).toEqual({ failure: { refused: true, reason: cpu } });
  });
});

test('a release whose notes have no end is deployed, and its log says what it leaves out', async () => {
  const task = hostile({ notes: endlessNotes });

  expect(await act.run(task)).toMatchObject({ outcome: 'Done' });
  expect(world.tasks.textOf(task.task_id)).toMatch(/left out/);
});

test('releases of others are deployed at their first attempt while hostile charts take what they can', async () => {
  const attacks = [threeGigabytes, spin, threeGigabytes, spin].map((text) => hostile({ text }));
  const notes = hostile({ notes: endlessNotes });
  const others = Array.from({ length: 5 }, () => hostile({}));

  const plans = attacks.slice(0, 2).map(planned);
  for (const task of [...attacks, notes, ...others]) world.tasks.give(task);
  const ends = await Promise.all(
    [...others, ...attacks].map(({ task_id }) => soon('a task to end', () => world.tasks.endOf(task_id))),
  );

  expect(ends.map(({ outcome }) => outcome)).toEqual([...others.map(() => 'Done'), ...attacks.map(() => 'Failed')]);
  expect((await Promise.all(plans)).every((outcome) => 'failure' in outcome && outcome.failure.refused)).toBe(true);
  const claims = (id: string) => world.tasks.claimed.filter((one) => one === id).length;
  expect([...others, ...attacks].map(({ task_id }) => claims(task_id))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(runner.log()).not.toContain('claim lost');
});
