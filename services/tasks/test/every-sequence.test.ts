import { expect, test } from 'vitest';
import { differences } from '../src/engine/deployments/differences.ts';
import { deployRun } from '../src/engine/operations/deploys.ts';
import { deploymentLifecycle, deploymentReturn } from '../src/engine/deployments/lifecycle.ts';
import { arrowsTaken, isLiving, type Living, type Model, noTrouble, startedTask } from './deployment-model/model.ts';
import { awaitReadiness, begin, claim, finish, run } from './deployment-model/claims.ts';
import { cancel, change, reinstall, remove, retry, retrySuperseding, schedule } from './deployment-model/requests.ts';
import { isReachedByRetries } from './deployment-model/reached-by-retries.ts';
import { brokenFact } from './deployment-model/broken-facts.ts';
import { deadEnd } from './deployment-model/ways.ts';
import { loseNamespace } from './deployment-model/lose-namespace.ts';
import { randomOf } from '@berth/testing/random-of';
import { sampleDeployment } from './support/sample-deployment.ts';

const runs = deployRun(sampleDeployment, 'Web');
const installed = {
  installed_cluster_id: sampleDeployment.cluster_id,
  installed_namespace: sampleDeployment.namespace,
  revision_id: 'r',
  state: 'Running',
} as const;

const install = { Install: { helm_chart_id: runs.helm_chart_id, config_inputs: runs.config, values_override: null } };
const pending = {
  status: 'Pending',
  change: null,
  undo: null,
  deletes_deployment: false,
  skips_hooks: false,
  first_attempted_at: null,
  helm_fence: 0,
  cancel_requested_at: null,
  awaits_readiness: false,
} as const;

const nothingInstalled = { runs: [], begun: [], trouble: noTrouble };
const release = { runs: [{ id: 'r', run: runs }], begun: ['r'], trouble: noTrouble };

const starts: Record<string, Model> = {
  new: {
    deployment: sampleDeployment,
    queue: [{ ...pending, id: 't0', operation: install, run: runs }],
    running: null,
    over: [],
    ...nothingInstalled,
  },
  running: { deployment: { ...sampleDeployment, ...installed }, queue: [], running: runs, over: [], ...release },
  'new, at a namespace of somebody else': {
    deployment: sampleDeployment,
    queue: [{ ...pending, id: 't0', operation: install, run: runs }],
    running: null,
    over: [],
    ...nothingInstalled,
    trouble: { ...noTrouble, foreign: [sampleDeployment.namespace] },
  },
  'running, with a hook that refuses each removal': {
    deployment: { ...sampleDeployment, ...installed },
    queue: [],
    running: runs,
    over: [],
    ...release,
    trouble: { ...noTrouble, foreign: ['web-b'], vetoes: true },
  },
  disabled: {
    deployment: { ...sampleDeployment, enabled: false, state: 'Uninstalled' },
    queue: [],
    running: null,
    over: [],
    ...nothingInstalled,
  },
};

/** Enabled and renamed during its Uninstall, with its Install canceled: a Recreate can start here. */
function renamedWhileUninstalled(): Model | null {
  const uninstalled = starts['disabled'];
  const enabled = uninstalled && isLiving(uninstalled) ? change(uninstalled, { enabled: true }) : null;
  const renamed = enabled && isLiving(enabled) ? change(enabled, { name: 'b' }) : null;
  const [first] = renamed?.queue ?? [];
  return renamed && isLiving(renamed) && first ? cancel(renamed, first) : null;
}

/** Without a started task, the parameter changes nothing. */
const superseding = (model: Living): [string, Model | null][] =>
  startedTask(model) === undefined
    ? []
    : [
        ['configure, superseding', change(model, { config: { n: 1 } }, true)],
        ['rename, superseding', change(model, { name: 'b' }, true)],
        ...model.over.map((task, at): [string, Model | null] => [
          `retry #${at}, superseding`,
          retrySuperseding(model, task),
        ]),
      ];

/** All events that users, the clock and runners can cause in any state of a deployment's queue. */
function events(model: Model): [string, Model | null][] {
  const { deployment, queue } = model;
  if (!deployment) return [];
  const living = { ...model, deployment };
  return [
    ['configure', change(living, { config: { n: 1 } })],
    ['configure back', change(living, { config: sampleDeployment.config })],
    ['rename', change(living, { name: 'b' })],
    ...(deployment.name === sampleDeployment.name
      ? []
      : [['rename back', change(living, { name: sampleDeployment.name })] as [string, Model | null]]),
    ...(deployment.name === 'b' ? [['rename again', change(living, { name: 'c' })] as [string, Model | null]] : []),
    ...superseding(living),
    ['disable', change(living, { enabled: false })],
    ['enable', change(living, { enabled: true })],
    ['schedule Install', schedule(living, 'Install', { enabled: true, config: { n: 2 } })],
    ['schedule Upgrade', schedule(living, 'Upgrade', { config: { n: 2 } })],
    ['schedule Uninstall', schedule(living, 'Uninstall', { enabled: false })],
    ['reinstall', reinstall(living)],
    ['delete', remove(living)],
    ...queue.map((task, at): [string, Model | null] => [`cancel #${at}`, cancel(living, task)]),
    ...queue.map((task, at): [string, Model | null] => [`claim #${at}`, claim(living, task)]),
    ...model.over.map((task, at): [string, Model | null] => [`retry #${at}`, retry(living, task)]),
    ...(model.trouble.vetoes ? model.over : []).map((task, at): [string, Model | null] => [
      `retry #${at} without hooks`,
      retry(living, task, true),
    ]),
    ['namespace lost', loseNamespace(living)],
    ['Helm begins', begin(living)],
    ['readiness awaited', awaitReadiness(living)],
    ['end: done', finish(living, 'Done')],
    ['end: failed', finish(living, 'Failed')],
    ['end: canceled', finish(living, 'Canceled')],
    ['end: handed back', finish(living, 'HandedBack')],
    ['run: done', run(living, 'Done')],
    ['run: failed', run(living, 'Failed')],
    ['run: handed back', run(living, 'HandedBack')],
  ];
}

const hasTrouble = ({ trouble: { foreign, vetoes } }: Model) => vetoes || foreign.length > 0;

/** The broken invariant between any two events, in words; null if all hold. */
function broken(model: Model): string | null {
  const { deployment, queue, running } = model;
  if (!deployment) return queue.length === 0 ? null : 'a deleted deployment has open tasks';
  const { state, reason, enabled, deleting } = deployment;
  if (queue.filter(({ status }) => status === 'Started').length > 1) return 'two tasks are started';
  const isBetween = !['Running', 'Unknown', 'Uninstalled', 'Error'].includes(state);
  const begun = queue.some(({ first_attempted_at }) => first_attempted_at !== null);
  const followed = state === 'Renaming' && queue.some((task) => task.run?.action === 'deploy');
  if (isBetween && !begun && !followed) return `nothing ends the state ${state}`;
  if (state === 'Error' && reason === null) return 'an Error has no reason';
  if (deleting && !queue.some((task) => task.deletes_deployment)) return 'nothing ends the deletion';
  if (state === 'Running' && deployment.installed_namespace === null) return 'nothing is installed and it is Running';

  if (!hasTrouble(model) && queue.length === 0 && !isReachedByRetries(model))
    return `no retry brings what it wants (${reason})`;

  if (queue.length > 0 || isBetween || state === 'Error') return null;
  if (state !== 'Running') return enabled === (reason !== null) ? null : `at rest ${state}, ${enabled}, ${reason}`;
  if (!enabled) return reason === null ? 'disabled, and Running without a reason' : null;
  const differs = running !== null && differences(running, deployment).length > 0;
  return differs === (reason !== null) ? null : `Running at rest, differs: ${differs}, reason: ${reason}`;
}

/** Only an Uninstall forgets a release: during a move there is always a time without one. */
function forgotten({ deployment: before }: Model, { deployment: after }: Model, event: string): string | null {
  const was = before?.installed_namespace ?? null;
  if (!before || was === null || was === after?.installed_namespace || event.endsWith(': done')) return null;
  return `${event} forgets the release in ${was}`;
}

/**
 * A Recreate that is canceled before it removed anything leaves the release at its old place. Where an earlier one has removed it
 * and no deploy follows any longer, the deployment says so.
 */
function notUndone({ deployment: before, queue }: Model, { deployment: after, queue: left }: Model): string | null {
  const canceled = queue.find(({ id, operation }) => 'Recreate' in operation && !left.some((task) => task.id === id));
  if (!canceled || !before || !after || after.deleting || canceled.helm_fence > 0) return null;
  const { state, name } = { ...before, ...canceled.undo, ...canceled.undo?.before };
  const isNotFollowed = state === 'Renaming' && !left.some(({ run }) => run?.action === 'deploy');
  const expected = isNotFollowed ? 'Error' : state;
  return after.state === expected && after.name === name ? null : `a Recreate that removed nothing left ${after.state}`;
}

/**
 * Supersede: a task that works goes on, and one that awaits readiness is over, so that the next task may start. Deleting and
 * disabling always do so.
 */
function notSuperseded(before: Model, after: Model, event: string): string | null {
  const started = startedTask(before);
  const isQueued = after.queue.some(({ id }) => !before.queue.some((task) => task.id === id));
  if (!started || !isQueued || !after.deployment) return null;
  const supersedes = event.endsWith(', superseding') || event === 'delete' || event === 'disable';
  const ends = supersedes && started.awaits_readiness;
  const isOver = startedTask(after) === undefined;
  return isOver === ends
    ? null
    : `${event} ${isOver ? 'ended a task' : 'left a task'} (awaits: ${started.awaits_readiness})`;
}

/** The broken invariant of a single event. */
function brokenBy(before: Model, after: Model, event: string): string | null {
  const unlike = notSuperseded(before, after, event);
  if (unlike !== null) return unlike;
  const [was, is] = [before.deployment, after.deployment];
  if (was?.enabled === false && is?.enabled === false && was.state === 'Uninstalled' && is.state === 'Running')
    return 'a disabled deployment was installed';
  return event.startsWith('cancel') || event === 'end: canceled' ? notUndone(before, after) : null;
}

const keyOf = ({ deployment, queue, running, over, runs, begun }: Model): string =>
  JSON.stringify([
    deployment && { ...deployment, revision_id: deployment.revision_id === null ? null : 'some' },
    queue.map(({ id: _id, ...task }) => task),
    running,
    over.map(({ id: _id, ...task }) => task),
    runs.map(({ id, run: of }) => [of, begun.includes(id), id === deployment?.revision_id]),
  ]);

test.for(Object.keys(starts))(
  'after any sequence of events, a deployment that was %s has a final or an explained state',
  (name) => {
    const first = starts[name];
    if (!first) throw new Error(name);
    const longest = hasTrouble(first) ? 4 : 5;
    const maxQueue = 3;
    let layer = [{ model: first, path: [] as string[] }];
    const reached = new Set([keyOf(first)]);
    const found: string[] = [];

    for (let length = 1; length <= longest; length += 1) {
      layer = layer.flatMap(({ model, path }) =>
        events(model).flatMap(([event, next]) => {
          if (!next || next.queue.length > maxQueue || reached.has(keyOf(next))) return [];
          reached.add(keyOf(next));
          const taken = [...path, event];
          const rule =
            broken(next) ??
            brokenFact(next) ??
            brokenBy(model, next, event) ??
            forgotten(model, next, event) ??
            (length < longest ? deadEnd(next) : null);
          if (rule !== null) found.push(`${rule}: ${taken.join(', ')}`);
          return [{ model: next, path: taken }];
        }),
      );
    }

    expect(found.slice(0, 10)).toEqual([]);
    expect(reached.size).toBeGreaterThan(1_000);
  },
);

test.for(Object.entries(starts))(
  'after random walks of forty events over queues of eight tasks, a deployment that was %s has an explained state',
  ([, first]) => {
    const found: string[] = [];
    for (let seed = 0; seed < (hasTrouble(first) ? 150 : 500); seed += 1) {
      const random = randomOf(seed);
      const path: string[] = [];
      let model: Model = first;
      for (let length = 0; length < 40 && model.deployment; length += 1) {
        const possible = events(model).filter(([, next]) => next && next.queue.length <= 8);
        const [event, next] = possible[Math.floor(random() * possible.length)] ?? [];
        if (!event || !next) break;
        path.push(event);
        const rule = broken(next) ?? brokenFact(next) ?? brokenBy(model, next, event) ?? forgotten(model, next, event);
        if (rule !== null) found.push(`${rule}: seed ${seed}, ${path.join(', ')}`);
        model = next;
      }
      const end = deadEnd(model);
      if (end !== null) found.push(`${end}: seed ${seed}, ${path.join(', ')}`);
    }

    expect(found.slice(0, 5)).toEqual([]);
  },
);

test('the sequences pass through exactly the states of the lifecycle', () => {
  // Filled by the tests above, without arrows that need too many events.
  const renamed = renamedWhileUninstalled();
  const claimed = renamed && isLiving(renamed) && renamed.queue[0] ? claim(renamed, renamed.queue[0]) : null;
  const [task] = claimed?.queue ?? [];
  const canceled = claimed && isLiving(claimed) && task ? cancel(claimed, task) : null;
  expect(canceled && isLiving(canceled) && finish(canceled, 'Canceled')?.deployment?.state).toBe('Uninstalled');
  const arrows = [
    ...Object.values(deploymentLifecycle).flatMap(({ from, to }) => from.map((state) => `${state} --> ${to}`)),
    ...deploymentReturn.to.map((state) => `${deploymentReturn.from} --> ${state}`),
  ];

  expect([...arrowsTaken].toSorted()).toEqual([...new Set(arrows)].toSorted());
});
