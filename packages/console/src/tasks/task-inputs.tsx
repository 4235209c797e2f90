import { useQuery } from '@tanstack/react-query';
import { stringify } from 'yaml';
import { oneOf, pageOf, type Row } from '../api/reads.ts';
import { Copy } from '../ui/copy.tsx';
import { runOf } from '../deployments/tabs/run-of.ts';
import { deltaOf, inputLines } from './facts/input-changes.ts';

type Task = Row<'deploymentTasks'>;

/** The inputs that were deployed, with the values of the run before where they differ. */
export function TaskInputs({ task }: { task: Task }) {
  const run = runOf(task);
  const chart = useQuery({ ...oneOf('helmCharts', run?.helm_chart_id ?? ''), enabled: run !== null });
  const before = useRunBefore(task);
  if (run === null) return null;

  const recorded = 'Upgrade' in task.operation ? task.operation.Upgrade.config_delta : null;
  const delta = recorded ?? (before ? deltaOf(before.config_inputs, run.config_inputs) : {});
  const lines = inputLines(chart.data?.row.values_ui ?? null, run.config_inputs, delta);
  const changed = lines.filter(({ isChanged }) => isChanged).length;
  const isFirst = before === null;
  return (
    <>
      <section className="section">
        <header>
          <h2>Inputs</h2>
          <span className="meta">
            {isFirst ? 'the first run' : `${changed} of ${lines.length} differ from the run before`}
          </span>
        </header>
        {lines.length === 0 ? (
          <p className="muted">None were given.</p>
        ) : (
          <dl className="panel inputs">
            {lines.map(({ id, label, value, before, isChanged }) => (
              <div key={id} data-changed={(isChanged && !isFirst) || undefined}>
                <dt>{label}</dt>
                <dd>
                  {isChanged && !isFirst && (
                    <>
                      <del>{before ?? 'none'}</del>
                      <span aria-hidden="true"> → </span>
                    </>
                  )}
                  {value ?? <span className="muted">none</span>}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      <Override run={run.values_override} before={before?.values_override ?? null} isFirst={isFirst} />
    </>
  );
}

type Values = NonNullable<ReturnType<typeof runOf>>['values_override'];

function Override({ run, before, isFirst }: { run: Values; before: Values; isFirst: boolean }) {
  if (run === null && before === null) return null;
  const changed = Object.keys(deltaOf(before, run));
  const text = run === null ? '' : stringify(run);
  return (
    <section className="section">
      <header>
        <h2>Override</h2>
        {!isFirst && (
          <span className="meta">
            {changed.length === 0 ? 'as in the run before' : `differs from the run before: ${changed.join(', ')}`}
          </span>
        )}
      </header>
      {run === null ? (
        <p className="muted">None; the run before had one.</p>
      ) : (
        <div className="panel override">
          <Copy text={text} what="the override" />
          <pre tabIndex={0} aria-label="Override">
            {text}
          </pre>
        </div>
      )}
    </section>
  );
}

/** The successful run of the deployment before this one; null if there was none, undefined until it is known. */
function useRunBefore(task: Task) {
  const tasks = useQuery(
    pageOf('deploymentTasks', {
      deployment_id: task.deployment_id,
      status: 'Done',
      sort: '-finished_at',
      per_page: 50,
    }),
  );
  if (!tasks.data) return undefined;
  const found = tasks.data.items.find(
    (other) => other.id !== task.id && runOf(other) !== null && (other.finished_at ?? '') < (task.started_at ?? '~'),
  );
  return found ? runOf(found) : null;
}
