import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { nameIn, useClusters, useKinds } from '../../api/names.ts';
import { pageOf } from '../../api/reads.ts';
import { exactTime, spanOf, useNow } from '../../ui/age.tsx';
import { Check } from '../../ui/inputs/check.tsx';
import { LoadingRows, Problem } from '../../ui/reading/problem.tsx';
import { Glyph } from '../../ui/state.tsx';
import { PlanObjects } from './plan-objects.tsx';
import { cutWords, nameOf, type Plan, risksOf } from './plan-summary.ts';
import type { Planning } from './use-plan.ts';
import './plan.css';

interface PlanPaneProps {
  planning: Planning;
  /** Shown instead of a plan: nothing differs, or something has to be filled in first. */
  instead?: ReactNode;
  /** Whether to end a running deploy that only waits for readiness. */
  supersede?: { value: boolean; onChange: (value: boolean) => void } | undefined;
  noTasks: string;
  /** Makes the change without a plan, if none can be made now. */
  onUnplanned?: (() => void) | undefined;
}

/** What a change would do, kept up to date. It is drawn again for another plan, not for each key that is typed beside it. */
export const PlanPane = memo(function PlanPane({ planning, instead, supersede, noTasks, onUnplanned }: PlanPaneProps) {
  const { plan, at, error, isWorking, isCurrent, again } = planning;
  return (
    <section className="plan" aria-label="What will happen" aria-busy={isWorking}>
      <div className="section">
        <header>
          <h2>What will happen</h2>
          <span className="meta" role="status">
            {!instead && (isWorking ? 'Planning…' : isCurrent && <Compared at={at} />)}
          </span>
          {isCurrent && !instead && (
            <Button className="button bare small" onPress={again}>
              Plan again
            </Button>
          )}
        </header>
        {instead}
        {!instead && error && <Problem error={error} onRetry={again} />}
        {!instead && error && onUnplanned && (
          <Button className="button" onPress={onUnplanned}>
            Apply without a plan
          </Button>
        )}
        {!instead && !error && plan === undefined && <LoadingRows rows={4} />}
      </div>
      {!instead && !error && plan !== undefined && (
        <div className={isCurrent ? undefined : 'outdated'}>
          <Tasks plan={plan} noTasks={noTasks} supersede={supersede} />
          <Risks plan={plan} />
          <PlanObjects plan={plan} />
          <Others plan={plan} />
        </div>
      )}
    </section>
  );
});

function Compared({ at }: { at: number }) {
  const ms = useNow() - at;
  return (
    <span title={exactTime(new Date(at).toISOString())}>
      compared with the cluster {ms < 5_000 ? 'just now' : `${spanOf(ms)} ago`}
    </span>
  );
}

function Tasks({ plan, noTasks, supersede }: { plan: Plan } & Pick<PlanPaneProps, 'noTasks' | 'supersede'>) {
  const clusters = useClusters();
  const kinds = useKinds();
  const { tasks, reinstalls, supersedes } = plan;
  const ids = reinstalls.slice(0, 100).map(({ deployment_id }) => deployment_id);
  const { data } = useQuery({ ...pageOf('deployments', { ids, per_page: 100 }), enabled: ids.length > 0 });
  const names = new Map(data?.items.map((row) => [row.id, `${nameIn(kinds, row.kind_id)} / ${row.name}`]));
  const isMove = new Set(tasks.map(({ cluster_id }) => cluster_id)).size > 1;
  return (
    <ul className="section lines">
      <li>
        <Glyph tone={tasks.length === 0 ? 'off' : 'busy'} />
        <span>
          {tasks.length === 0
            ? noTasks
            : tasks
                .map(
                  ({ operation, cluster_id }) => `${operation}${isMove ? ` on ${nameIn(clusters, cluster_id)}` : ''}`,
                )
                .join(', then ')}
          {reinstalls.length > 0 &&
            `, then ${reinstalls.length === 1 ? '1 dependent reinstalls' : `${reinstalls.length} dependents reinstall`}`}
        </span>
        {reinstalls.length > 0 && (
          <span className="meta dependents">
            {reinstalls.slice(0, 20).map(({ deployment_id, namespace }) => (
              <Link key={deployment_id} to="/deployments/$id/{-$tab}" params={{ id: deployment_id, tab: undefined }}>
                {names.get(deployment_id) ?? namespace}
              </Link>
            ))}
            {reinstalls.length > 20 && `and ${reinstalls.length - 20} more`}
          </span>
        )}
      </li>
      {supersedes !== null && (
        <li>
          <Glyph tone="warn" />
          <span>
            <Link to="/tasks/$id" params={{ id: supersedes.task_id }}>
              {supersedes.operation}
            </Link>{' '}
            runs and only waits for readiness
            {supersedes.when === 'always' && '; this change ends it'}
          </span>
          {supersedes.when === 'requested' && supersede && (
            <Check
              label="End it instead of waiting for it"
              value={supersede.value}
              onChange={supersede.onChange}
              help="For a change that mends what it waits for."
            />
          )}
        </li>
      )}
    </ul>
  );
}

function Risks({ plan }: { plan: Plan }) {
  const risks = risksOf(plan);
  if (risks.length === 0) return null;
  return (
    <section className="section" aria-labelledby="planned-risks">
      <header>
        <h2 id="planned-risks">Look at this first</h2>
      </header>
      <ul className="lines">
        {risks.map(({ tone, words, detail }, index) => (
          <li key={index}>
            <Glyph tone={tone} />
            <span>{words}</span>
            {detail !== null && <span className="meta">{detail}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is rarely of interest: hooks, permissions, fields that others keep, and what the plan does not know. */
function Others({ plan: { hooks, cluster_roles, contested, untried, cut } }: { plan: Plan }) {
  const kept = contested.filter(({ becomes }) => becomes === 'kept');
  const cutLine = cutWords(cut);
  return (
    <ul className="section lines">
      {hooks.map((hook, index) => (
        <li key={`hook ${index}`}>
          <Glyph tone="busy" />
          <span>Runs the hook {nameOf(hook)}</span>
          <span className="meta">{hook.events.join(', ')}</span>
        </li>
      ))}
      {cluster_roles.map(({ cluster_role, scope }) => (
        <li key={`role ${cluster_role} ${scope}`}>
          <Glyph tone="warn" />
          <span>Acts with the ClusterRole {cluster_role}</span>
          <span className="meta">{scope === 'Cluster' ? 'in the whole cluster' : 'in its namespace'}</span>
        </li>
      ))}
      {kept.map((field, index) => (
        <li key={`kept ${index}`}>
          <Glyph tone="off" />
          <span>
            Leaves {field.path} of {nameOf(field)} as it is
          </span>
          <span className="meta">{[field.manager, field.reason].filter(Boolean).join(': ')}</span>
        </li>
      ))}
      {untried.map(({ reason, objects, examples }, index) => (
        <li key={`untried ${index}`}>
          <Glyph tone="off" />
          <span>
            {objects} {objects === 1 ? 'object was' : 'objects were'} not tried: {reason}
          </span>
          <span className="meta">{examples.join(', ')}</span>
        </li>
      ))}
      {cutLine !== null && (
        <li>
          <Glyph tone="off" />
          <span>{cutLine}</span>
        </li>
      )}
    </ul>
  );
}
