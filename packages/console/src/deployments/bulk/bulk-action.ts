import type { Answer, Client } from '@berth/client';
import type { May } from '../../api/me.ts';
import type { Row } from '../../api/reads.ts';
import { restartAll } from '../objects/restart.ts';

type Deployment = Row<'deployments'>;

export interface BulkAction {
  verb: string;
  /** What happens to all of them. */
  says: string;
  /** What happens to one of them. */
  will: string;
  destroys?: boolean;
  needsChart?: boolean;
  /** Why a deployment is left out; undefined if it is not. */
  unless: (deployment: Deployment, may: May) => string | undefined;
  /** One answer for each request. */
  run: (berth: Client, deployment: Deployment, chartId: string | null) => Promise<readonly Answer<unknown>[]>;
}

const refused = (may: May, operation: string, deployment: Deployment, isStricter: boolean): string | undefined => {
  const { allowed, needs } = may(
    operation === 'create' ? 'deploymentTasks' : 'deployments',
    operation,
    { ...deployment, needsOwner: false },
    { stricter: isStricter },
  );
  return allowed ? undefined : `for ${needs}`;
};

export const bulkActions: BulkAction[] = [
  {
    verb: 'Reinstall',
    says: 'Each is deployed again with the chart and inputs that it has.',
    will: 'reinstalls',
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'create', deployment, false) : 'it is disabled'),
    run: async (berth, { id }) => [
      await berth.deploymentTasks.create({
        body: { deployment_id: id, operation: { Reinstall: { reason: 'Requested in the console' } } },
      }),
    ],
  },
  {
    verb: 'Restart',
    says: 'The pods of each are replaced one after another, as its update strategy says. Nothing is deployed again.',
    will: 'restarts',
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'create', deployment, false) : 'it is disabled'),
    run: (berth, { id }) => restartAll(berth, id),
  },
  {
    verb: 'Upgrade',
    says: 'Each is deployed with the chart that you choose; its inputs stay.',
    will: 'upgrades',
    needsChart: true,
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'update', deployment, false) : 'it is disabled'),
    run: async (berth, { id }, chartId) => [
      await berth.deployments.update({ id, body: { helm_chart_id: chartId ?? '' } }),
    ],
  },
  {
    verb: 'Enable',
    says: 'Each is installed again with the chart and inputs that it has.',
    will: 'installs',
    unless: (deployment, may) => (deployment.enabled ? 'it is enabled' : refused(may, 'update', deployment, true)),
    run: async (berth, { id }) => [await berth.deployments.update({ id, body: { enabled: true } })],
  },
  {
    verb: 'Disable',
    says: 'Each is uninstalled: its objects and its namespace are deleted, with the data of its volumes. Chart and inputs are kept.',
    will: 'is uninstalled',
    destroys: true,
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'update', deployment, true) : 'it is disabled'),
    run: async (berth, { id }) => [await berth.deployments.update({ id, body: { enabled: false } })],
  },
];

/** The result for one deployment, in a few words. */
export function resultWord(answers: readonly Answer<unknown>[]): string {
  const tasks = answers.reduce((count, answer) => count + (answer.ok ? answer.taskCount : 0), 0);
  const queued = tasks > 1 ? `${tasks} tasks queued` : 'queued';
  const refusal = answers.find((answer) => !answer.ok);
  if (refusal) return `${tasks > 0 ? `${queued}, then ` : ''}refused: ${refusal.problem.detail}`;
  return tasks > 0 ? queued : 'nothing to do';
}
