import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { diffLines } from 'diff';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { stringify } from 'yaml';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { nameIn, useUsers } from '../../api/names.ts';
import { pageOf, type Row } from '../../api/reads.ts';
import { Ago, exactTime } from '../../ui/age.tsx';
import { Choose } from '../../ui/inputs/choose.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { Glyph } from '../../ui/state.tsx';
import { useVersions } from '../facts/columns.ts';
import type { OfDeployment } from '../facts/deployment-row.ts';
import { operationWord } from '../../ui/reading/operation-word.ts';
import { taskState } from '../facts/task-state.ts';
import { runOf } from './run-of.ts';

type Task = Row<'deploymentTasks'>;

/** What was deployed, run by run. Any two runs can be compared, and a successful one can be rolled back to. */
export default function History({ deployment }: OfDeployment) {
  const may = useMay();
  const users = useUsers();
  const navigate = useNavigate();
  const [address, change] = useAddress();
  const [asked, setAsked] = useState<Task | null>(null);
  const tasks = useQuery(pageOf('deploymentTasks', { deployment_id: deployment.id, page: 1, per_page: 100 }));
  const runs = (tasks.data?.items ?? []).filter((task) => runOf(task) !== null);
  const versions = useVersions(runs.map((task) => ({ helm_chart_id: runOf(task)?.helm_chart_id ?? '' })));
  const mayRollBack = may('deploymentTasks', 'rollback', deployment).allowed && deployment.enabled;
  const choices = runs.map((task) => ({ id: task.id, words: wordsOf(task) }));

  function wordsOf(task: Task): string {
    const chart = versions.get(runOf(task)?.helm_chart_id ?? '')?.image_tag ?? '';
    return `${operationWord(task)} ${chart} · ${exactTime(task.created_at)}`;
  }

  return (
    <Reading of={tasks}>
      {() =>
        runs.length === 0 ? (
          <Empty title="Nothing was deployed yet" />
        ) : (
          <div className="two">
            <section className="section">
              <header>
                <h2>Runs</h2>
              </header>
              <ul className="lines">
                {runs.map((task) => (
                  <li key={task.id}>
                    <Glyph tone={taskState(task).tone} />
                    <span>
                      <Link to="/tasks/$id" params={{ id: task.id }}>
                        {operationWord(task)}{' '}
                        <span className="mono">{versions.get(runOf(task)?.helm_chart_id ?? '')?.image_tag}</span>
                      </Link>
                      {task.id === deployment.revision_id && <span className="meta"> runs now</span>}
                    </span>
                    {mayRollBack && task.status === 'Done' && task.id !== deployment.revision_id ? (
                      <Button
                        className="button small"
                        aria-label={`Roll back to this: ${wordsOf(task)}`}
                        onPress={() => setAsked(task)}
                      >
                        Roll back to this
                      </Button>
                    ) : (
                      <span />
                    )}
                    <span className="meta">
                      {taskState(task).word} {exactTime(task.finished_at ?? task.created_at)},{' '}
                      <Ago time={task.finished_at ?? task.created_at} />
                      {task.acting_user_id !== null && ` · ${nameIn(users, task.acting_user_id)}`}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
            <section className="section">
              <header>
                <h2>Compare</h2>
              </header>
              <Choose
                label="From"
                choices={choices}
                value={address['from'] ?? runs[1]?.id ?? runs[0]?.id ?? null}
                onChange={(from) => change({ from })}
              />
              <Choose
                label="To"
                choices={choices}
                value={address['to'] ?? runs[0]?.id ?? null}
                onChange={(to) => change({ to })}
              />
              <Difference
                from={runs.find(({ id }) => id === (address['from'] ?? runs[1]?.id ?? runs[0]?.id))}
                to={runs.find(({ id }) => id === (address['to'] ?? runs[0]?.id))}
                chartOf={(id) => versions.get(id)?.image_tag ?? id}
              />
            </section>
            {asked && (
              <Confirm
                title="Roll back"
                action="Roll back"
                isOpen
                onClose={() => setAsked(null)}
                onConfirm={async () => {
                  const body = { task_id: asked.id };
                  const { id } = unwrap(await berth.deploymentTasks.rollback({ id: deployment.id, body }));
                  void navigate({ to: '/tasks/$id', params: { id } });
                }}
              >
                <p>Chart, inputs and override become those of {wordsOf(asked)}.</p>
              </Confirm>
            )}
          </div>
        )
      }
    </Reading>
  );
}

interface DifferenceProps {
  from: Task | undefined;
  to: Task | undefined;
  chartOf: (id: string) => string;
}

function Difference({ from, to, chartOf }: DifferenceProps) {
  const [a, b] = [from && runOf(from), to && runOf(to)];
  if (!a || !b) return null;
  const textOf = ({ helm_chart_id, config_inputs, values_override }: typeof a) =>
    stringify({ chart: chartOf(helm_chart_id), inputs: config_inputs, override: values_override });
  const parts = diffLines(textOf(a), textOf(b));
  if (parts.every(({ added, removed }) => !added && !removed)) {
    return <p className="muted">Chart, inputs and override are the same.</p>;
  }
  return (
    <pre className="panel diff" tabIndex={0} aria-label="Differences">
      {parts.map(({ added, removed, value }, index) => (
        <span key={index} className={added ? 'added' : removed ? 'removed' : 'same'}>
          {value.replaceAll(/^/gm, added ? '+ ' : removed ? '− ' : '  ').replace(/[-+−]? +$/, '')}
        </span>
      ))}
    </pre>
  );
}
