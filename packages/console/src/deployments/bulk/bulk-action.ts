import type { Answer } from '@berth/client';
import { berth } from '../../api/berth.ts';
import type { May } from '../../api/me.ts';
import type { Row } from '../../api/reads.ts';

type Deployment = Row<'deployments'>;

export interface BulkAction {
  verb: string;
  /** What will happen, to all. */
  says: string;
  /** What will happen to one. */
  will: string;
  destroys?: boolean;
  needsChart?: boolean;
  /** Why one is left out; undefined where it is not. */
  unless: (deployment: Deployment, may: May) => string | undefined;
  run: (deployment: Deployment, chartId: string | null) => Promise<Answer<unknown>>;
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
    run: ({ id }) =>
      berth.deploymentTasks.create({
        body: { deployment_id: id, operation: { Reinstall: { reason: 'Requested in the console' } } },
      }),
  },
  {
    verb: 'Upgrade',
    says: 'Each is deployed with the chart that you choose; its inputs stay.',
    will: 'upgrades',
    needsChart: true,
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'update', deployment, false) : 'it is disabled'),
    run: ({ id }, chartId) => berth.deployments.update({ id, body: { helm_chart_id: chartId ?? '' } }),
  },
  {
    verb: 'Enable',
    says: 'Each is installed again with the chart and inputs that it has.',
    will: 'installs',
    unless: (deployment, may) => (deployment.enabled ? 'it is enabled' : refused(may, 'update', deployment, true)),
    run: ({ id }) => berth.deployments.update({ id, body: { enabled: true } }),
  },
  {
    verb: 'Disable',
    says: 'Each is uninstalled: its objects and its namespace are deleted, with the data of its volumes. Chart and inputs are kept.',
    will: 'is uninstalled',
    destroys: true,
    unless: (deployment, may) => (deployment.enabled ? refused(may, 'update', deployment, true) : 'it is disabled'),
    run: ({ id }) => berth.deployments.update({ id, body: { enabled: false } }),
  },
];

/** What became of one, in a few words. */
export function resultWord(answer: Answer<unknown>): string {
  if (!answer.ok) return `refused: ${answer.problem.detail}`;
  return answer.taskCount > 0 ? 'queued' : 'nothing to do';
}
