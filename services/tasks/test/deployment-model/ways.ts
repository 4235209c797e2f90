import { run } from './claims.ts';
import { isLiving, type Living, type Model } from './model.ts';
import { abandon, change, reinstall, remove, retry } from './requests.ts';

type Goal = 'Running' | 'gone';

/** The deployment after its tasks have ended, with success where nothing prevents it. */
function drained(model: Model): Model {
  let left = model;
  for (let n = 0; n < 50 && isLiving(left) && left.queue.length > 0; n += 1) {
    const next = run(left, 'Done') ?? run(left, 'Failed');
    if (!next) return left;
    left = next;
  }
  return left;
}

/** The requests with which an owner can reach the goal from a state at rest. */
function asks(model: Living, goal: Goal): (() => Model | null)[] {
  const again = model.over.toReversed();
  const retries = again.flatMap((task) => [() => retry(model, task), () => retry(model, task, true)]);
  if (goal === 'gone') return [() => abandon(model), () => remove(model), ...retries];
  return [
    () => change(model, { enabled: true }),
    () => reinstall(model),
    () => change(model, { config: { n: 3 } }),
    ...retries,
    () => change(model, { name: 'c' }),
    () => change(model, { enabled: false }),
  ];
}

const isAt = ({ deployment }: Model, goal: Goal): boolean =>
  deployment === null || (goal === 'Running' && deployment.state === 'Running' && deployment.enabled);

/** Whether a few requests lead to the goal. A deployment that is gone is created again. */
function isReachable(model: Model, goal: Goal, requests = 4, tried = new Map<string, number>()): boolean {
  const left = drained(model);
  if (isAt(left, goal) || !isLiving(left)) return true;
  const key = keyOf(left);
  if (requests <= (tried.get(key) ?? 0)) return false;
  tried.set(key, requests);
  return asks(left, goal).some((ask) => {
    const next = ask();
    return next !== null && isReachable(next, goal, requests - 1, tried);
  });
}

const keyOf = ({ deployment, over, runs, trouble }: Model): string => {
  const tasks = over.map(({ id: _id, undo: _undo, first_attempted_at: _first, ...task }) => task);
  const revision_id = deployment?.revision_id != null;
  return JSON.stringify([{ ...deployment, revision_id }, tasks, runs.length, trouble]);
};

const known = new Map<string, string | null>();

/** The goal to which nothing leads that an owner can ask for, in words; null if all are reachable. */
export const deadEnd = (model: Model): string | null =>
  firstUnreachable(model, ['Running', 'gone']) ?? firstUnreachable(destroyed(model), ['gone']);

function firstUnreachable(model: Model, goals: readonly Goal[]): string | null {
  const left = drained(model);
  if (!isLiving(left)) return null;
  const key = keyOf(left);
  const found = known.has(key) ? known.get(key) : (goals.find((goal) => !isReachable(left, goal)) ?? null);
  known.set(key, found ?? null);
  const where = left.trouble.clusterGone ? ' on a cluster that is gone' : '';
  return found ? `no request leads to ${found}${where}` : null;
}

const destroyed = (model: Model): Model => ({ ...model, trouble: { ...model.trouble, clusterGone: true } });
