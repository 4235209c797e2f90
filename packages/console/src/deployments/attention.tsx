import { unwrap } from '@berth/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { nameIn, useUsers } from '../api/names.ts';
import { pageOf, type Row } from '../api/reads.ts';
import { Ago } from '../ui/age.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { Problem } from '../ui/reading/problem.tsx';
import { Glyph } from '../ui/state.tsx';
import { attentionOf } from './attention-of.ts';
import type { DeploymentRow } from './facts/deployment-row.ts';
import { operationWord } from '../ui/reading/operation-word.ts';
import { messageOf, reasonWords } from './facts/reason-words.ts';

interface AttentionProps {
  deployment: DeploymentRow;
  /** The latest tasks, newest first. */
  tasks: Row<'deploymentTasks'>[];
}

/** What the page says first: what is wrong, since when, after which task, and the likeliest ways out. It is absent if all is well. */
export function Attention({ deployment, tasks }: AttentionProps) {
  const may = useMay();
  const users = useUsers();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const attention = attentionOf(deployment, tasks);
  const ids = attention?.rollBackTo && chartOf(attention.rollBackTo);
  const before = useQuery({ ...pageOf('chartVersions', { ids: ids ?? '', per_page: 1 }), enabled: Boolean(ids) });
  const retry = useMutation({
    mutationFn: async (id: string) => unwrap(await berth.deploymentTasks.retry({ id })),
    onSuccess: ({ id }) => void navigate({ to: '/tasks/$id', params: { id } }),
  });
  if (attention === null) return null;

  const { tone, words, causes, since, task, rollBackTo } = attention;
  const { head, rest } = reasonWords(words);
  const version = before.data?.items[0]?.image_tag;
  const scope = { ...deployment, ...task, requester: null };
  const mayRetry = task !== undefined && task.status !== 'Done' && may('deploymentTasks', 'retry', scope).allowed;
  const mayRollBack = rollBackTo !== undefined && may('deploymentTasks', 'rollback', deployment).allowed;
  return (
    <section className={`notice banner ${tone}`} aria-label="What needs attention">
      <Glyph tone={tone} />
      <div>
        <p>
          <strong>{head}</strong>
          {since && (
            <>
              {' '}
              It began <Ago time={since} />
              {task && (
                <>
                  , after the{' '}
                  <Link to="/tasks/$id" params={{ id: task.id }}>
                    {operationWord(task)}
                  </Link>
                  {task.acting_user_id !== null && ` by ${nameIn(users, task.acting_user_id)}`}
                </>
              )}
              .
            </>
          )}
        </p>
        {rest !== '' && (
          <Button className="button bare small" aria-expanded={isWhole} onPress={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Less of the reason' : 'The whole reason'}
          </Button>
        )}
        {isWhole && <p>{rest}</p>}
        {causes.length > 0 && (
          <ul className="causes">
            {causes.map(({ kind, name, cause, message }) => (
              <li key={`${kind} ${name} ${cause}`}>
                <span className="muted">{kind}</span> {name}: <strong>{cause}</strong> {messageOf({ cause, message })}
              </li>
            ))}
          </ul>
        )}
        {rollBackTo && mayRollBack && (
          <p className="next">
            The previous release{version !== undefined && ` (${version})`} was deployed{' '}
            <Ago time={rollBackTo.finished_at ?? rollBackTo.created_at} />.
          </p>
        )}
        {retry.error && <Problem error={retry.error} />}
      </div>
      <div className="actions">
        {tone === 'bad' && causes.some(({ kind }) => kind === 'Pod') && (
          <Link className="button" to="/deployments/$id/{-$tab}" params={{ id: deployment.id, tab: 'logs' }}>
            Logs
          </Link>
        )}
        {task && task.status !== 'Done' && (
          <Link className="button" to="/tasks/$id" params={{ id: task.id }}>
            Log of the task
          </Link>
        )}
        {mayRetry && (
          <Button className="button" isDisabled={retry.isPending} onPress={() => retry.mutate(task.id)}>
            Retry
          </Button>
        )}
        {mayRollBack && (
          <Button className="button" onPress={() => setIsAsking(true)}>
            Roll back{version !== undefined && ` to ${version}`}
          </Button>
        )}
      </div>
      {rollBackTo && (
        <Confirm
          title={`Roll back${version === undefined ? '' : ` to ${version}`}`}
          action="Roll back"
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          onConfirm={async () => {
            const query = { supersede: true };
            const body = { task_id: rollBackTo.id };
            const { id } = unwrap(await berth.deploymentTasks.rollback({ id: deployment.id, query, body }));
            void navigate({ to: '/tasks/$id', params: { id } });
          }}
        >
          <p>
            Chart, inputs and override become those of the run that ended{' '}
            <Ago time={rollBackTo.finished_at ?? rollBackTo.created_at} />. A deploy that only waits for readiness ends.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function chartOf({ operation }: Row<'deploymentTasks'>): string | undefined {
  if ('Install' in operation) return operation.Install.helm_chart_id;
  return 'Upgrade' in operation ? operation.Upgrade.helm_chart_id : undefined;
}
