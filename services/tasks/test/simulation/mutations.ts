import type { Deciders } from './deciders.ts';

/** Faults in the code under test, one decision each; the simulation has to find them. */
export const mutations: Record<string, (deciders: Deciders) => Partial<Deciders>> = {
  'the service takes heartbeats of any claim': () => ({ isLatest: ({ isStarted }) => isStarted }),
  'the service takes the outcome of any claim': () => ({
    standingOf: ({ status }) => (status === 'Started' ? 'current' : 'lost'),
  }),
  'the runner does not look whose claim the namespace names': () => ({ fenceStep: () => 'held' }),
  'the runner never gives up a claim': () => ({ remainingOf: () => 20_000 }),
  'an outcome that comes again is refused': ({ standingOf }) => ({
    standingOf: (task, fence) => (standingOf(task, fence) === 'current' ? 'current' : 'lost'),
  }),
  'a task that only awaits readiness takes a slot': () => ({ takesSlot: () => true }),
  'a takeover deploys again what its task has deployed': ({ nextAction }) => ({
    nextAction: (desired, observed) => {
      const action = nextAction(desired, observed);
      return action === 'adopt' ? 'deploy' : action;
    },
  }),
  'a requester with older tasks holds all slots': () => ({
    startsFirst: (a, b) => a.due - b.due || a.order - b.order,
  }),
  'a claim that awaits readiness fails for its runner like one in which Helm works': ({ afterClaim }) => ({
    afterClaim: (claim, policy) => afterClaim({ ...claim, helm: claim.attempts > 0 ? 'works' : claim.helm }, policy),
  }),
  'a deploy is superseded while its Helm works': () => ({
    supersedable: (open) => open.find(({ status, effect }) => status === 'Started' && effect !== 'removes'),
  }),
  'the end of a task locks its row before its deployment': ({ locks }) => ({
    locks: { ...locks, finishOther: ['cluster', 'task', 'held deployment'] },
  }),
  'the end of a task locks its deployment before the cluster': ({ locks }) => ({
    locks: { ...locks, finishOther: ['held deployment', 'cluster', 'task'] },
  }),
  'a start does not note where there may be a release': ({ whileRunning }) => ({
    whileRunning: (deployment, task, run) => {
      const { installed_cluster_id, installed_namespace } = deployment;
      return { ...whileRunning(deployment, task, run), installed_cluster_id, installed_namespace };
    },
  }),
};
